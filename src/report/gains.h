// What clients gain by a method over fedavg, one model for all, and over local, each client by itself: client
// by client, on the same data with the same seed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/run_folder.h"
#include "report/run_groups.h"
#include "report/table.h"

namespace coterie {

// Over clients; the gain of a client is its mean over the group's runs.
struct Gain {
  double mean = 0;
  double error = kAbsent;  // standard error of the mean: deviation over clients / sqrt(clients)
  std::size_t clients = 0;
  std::size_t better = 0;
  std::size_t worse = 0;
};

struct GroupGain {
  std::optional<Gain> over_fedavg;
  std::optional<Gain> over_local;
};

// One client of one run.
struct ClientGain {
  std::size_t run = 0;
  std::uint32_t client = 0;
  std::string name;
  double value = kAbsent;  // of the figure
  double over_fedavg = kAbsent;
  double over_local = kAbsent;
};

struct Gains {
  std::string figure;             // "accuracy", "auc" where one class has more than 80 % of the rows, "rmse"
  std::vector<GroupGain> groups;  // as in RunGroups
  std::vector<ClientGain> clients;

  bool any() const;
  // Empty when there are none.
  TextTable table(const RunGroups& groups) const;
  std::string title() const;
  // What follows from them for whoever chooses a method; "" when nothing does.
  std::string remark() const;
  // clients.csv of a comparison: folder, seed, algorithm, id, name, the figure, both gains.
  std::string csv(const std::vector<RunRecord>& runs) const;
};

// Positive is better, whatever the figure. Reads clients.csv of runs that can be compared.
Gains gains_of(const std::vector<RunRecord>& runs, const RunGroups& groups);

}  // namespace coterie
