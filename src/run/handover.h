// What a finished run leaves for those who use it: the models of its clusters and clients, what settling
// needs besides, and assign.json, which says how large clusters are, how sure losses make one (posterior.h),
// and which clients are known.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "run/folder.h"
#include "run/scales.h"
#include "run/session.h"

namespace coterie {

struct Handover {
  // More models of clients than this stay in their states.
  static constexpr std::size_t kMostModels = 2000;
  static constexpr double kMostBytes = 1e9;
  // Where clients have models of their own: more clusters than this are none to assign a new client to.
  static constexpr std::size_t kMostFound = 256;

  std::vector<Vec> models;  // one for each cluster
  // Clusters of clients with models of their own; their model is the mean of their clients'.
  bool means = false;
  std::vector<Vec> extras;                // what settling needs besides (Offer)
  std::map<ClientId, Numbers> of_client;  // models of their own
  std::map<ClientId, Bytes> memories;     // of methods that remember samples
  Scales scales;                          // of known clients, where each scales its numbers by its own rows

  // Who can be known again: training clients that have a name.
  struct Known {
    ClientId id = 0;
    std::string name;
    std::uint32_t cluster = 0;
    Vec weights;
  };
  std::vector<Known> clients;
  bool soft = false;  // some client is in several clusters
  Vec sizes;          // clients by cluster; soft methods: the sum of their weights
  double temperature = 1;
  std::size_t fitted_on = 0;  // clients

  // Asks the clients; what that costs is not counted.
  static Handover of(Session& session, const Evaluation& evaluation);
  // The files of models, as schema.json lists them.
  std::vector<std::string> files() const;
  void write(const RunFolder& folder, Session& session) const;
};

}  // namespace coterie
