// The server's clusters: their models, what is known of every client's weights, and the edits that change
// their number. An edit reaches the models and the known weights at once, and a client's own state before its
// next turn (the fleet's log of edits).
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "coterie/algorithm.h"

namespace coterie {

// A change of the number of clusters. New clusters come last; those behind a removed one move up.
struct ClusterEdit {
  enum class Kind : std::uint8_t { split, remove, merge };
  friend constexpr Kind last_of(Kind) { return Kind::merge; }
  // How a client's weights follow a split: half for each part (Algorithm 4); all equal; members go whole.
  enum class Parts : std::uint8_t { halves, reset, whole };
  friend constexpr Parts last_of(Parts) { return Parts::whole; }

  Kind kind = Kind::split;
  std::uint32_t cluster = 0;  // that splits, that goes, or that takes the other in
  std::uint32_t other = 0;    // a merger: the cluster that goes
  Parts parts = Parts::halves;
  std::vector<ClientId> moved;  // Parts::whole: who goes to the new cluster; all others stay

  void fields(Archive& a) { a(kind, cluster, other, parts, moved); }
};

// Brings one client's weights up to date; they sum to one before and after. No weights stay none.
void apply(const ClusterEdit& edit, ClientId client, std::span<const double> before, Vec& after);
inline void apply(const ClusterEdit& edit, ClientId client, Vec& weights) {
  Vec after;
  apply(edit, client, weights, after);
  weights = std::move(after);
}

// The cluster of the largest weight, the first of equals.
std::uint32_t home_of(std::span<const double> weights);

// What a round's reply told of one client.
struct Told {
  ClientId client = 0;
  double weight = 1;  // in averages: n_i, or 1
  Vec weights;        // over the clusters, w~_i; hard rules: a single 1
  std::uint32_t home = 0;
  // The cluster whose model its training began with: not its home where a client moves by what it trained.
  std::uint32_t began = 0;
  // What it trained and brings to its home, at that place; nothing elsewhere. Kept for parts that ask for it
  // (TierAdapt::keeps_models).
  std::vector<Vec> trained;
  std::size_t trainable = static_cast<std::size_t>(-1);  // of a whole model; a head may have fewer parameters
  Vec trace;                                             // what the distance asked the client for

  // What it is grouped by: what it trained, without buffers.
  std::span<const double> stepped(std::size_t cluster) const {
    return std::span(trained[cluster]).first(std::min(trainable, trained[cluster].size()));
  }
  void fields(Archive& a) { a(client, weight, weights, home, began, trained, trainable, trace); }
};

// What training changed: what a client brings to its cluster, less the model that it began with.
Vec update(const Told& told, std::size_t cluster, std::span<const Vec> sent);

class Clusters {
 public:
  std::vector<Vec> models;           // of each cluster: a whole model, or its head
  std::vector<Vec> sent;             // the same as they were sent in this round
  Vec common;                        // the extractor that all share, or nothing
  Vec global;                        // the mean of what everybody trained last; at first of all models
  std::vector<Vec> weights;          // of every client by its last reply; empty: not heard of yet
  std::vector<std::uint32_t> slots;  // a number for each cluster that never changes: whose momentum is whose
  std::vector<Vec> traces;           // of every client, where the distance needs them once only

  void start(std::vector<Vec> own, Vec shared, std::size_t clients);
  std::size_t count() const { return models.size(); }
  // The cluster of a client, or kUnknownCluster.
  std::uint32_t home(ClientId client) const;
  // Those of a round whose home is this cluster, and who can be compared.
  std::vector<const Told*> members(std::span<const Told> told, std::size_t cluster) const;
  // All clients whose home it is.
  std::vector<ClientId> residents(std::size_t cluster) const;
  // The mean, or the config's robust rule, of what these clients trained of a cluster's model.
  Vec mean(const Setting& setting, std::span<const Told* const> who, std::size_t cluster) const;

  // A cluster that nobody is in yet; its number. For hard rules: clients' own states do not hear of it.
  std::size_t add(Vec model);
  // Puts a client wholly into a cluster.
  void put(ClientId client, std::size_t cluster);
  // All of a cluster but these members choose again: for hard rules, before a split. Returns how many do.
  std::size_t forget_others(std::size_t cluster, std::span<const Told* const> members);

  // Splits a cluster into those of its members on side 0, who stay, and on side 1; the models are the means
  // of what they trained. Tells why in an event, as the others do.
  void divide(Fleet& fleet, const Setting& setting, std::size_t cluster, std::span<const Told* const> members,
              std::span<const std::uint32_t> sides, Event why);
  // The same for any number of parts: one after the other leaves the cluster, the last first; part 0 stays.
  void divide_into(Fleet& fleet, const Setting& setting, std::size_t cluster,
                   std::vector<const Told*> members, std::vector<std::uint32_t> parts, const Event& why);
  void split(Fleet& fleet, std::size_t cluster, Vec first, Vec second, std::vector<ClientId> moved,
             Event why);
  void remove(Fleet& fleet, std::size_t cluster, Event why);
  void merge(Fleet& fleet, std::size_t into, std::size_t gone, Vec model, Event why);

  bool hard = false;       // a client is wholly in one cluster
  bool by_shares = false;  // means weigh clients by their weights too: c_k of FedSoft
  // Traces are features of the model that a client began with, which is its cluster's own: only those who
  // began with a cluster's model can be compared there (eq. 11). With one extractor for all, everybody can.
  bool own_features = false;
  // How weights follow a split, from the method's options.
  ClusterEdit::Parts parts = ClusterEdit::Parts::halves;
  // Told of every edit: the objective's figures follow.
  std::function<void(const ClusterEdit&)> edited;

  void fields(Archive& a) { a(models, common, global, weights, slots, next_slot_, traces); }

 private:
  void edit(Fleet& fleet, ClusterEdit edit, Event why);
  std::uint32_t next_slot_ = 0;
};

// The first few of these clients, for the text of an event.
std::string first_of(std::span<const ClientId> clients);

// Tells in rounds 1, 2, 4, 8 ... why a cluster stayed whole, or why clusters stayed apart: what thresholds
// are found by.
void report_unchanged(Fleet& fleet, const Round& round, const char* kind, Event why);

}  // namespace coterie
