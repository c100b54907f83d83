// All that a run's page tells, read once.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "report/cluster_matrix.h"
#include "report/gains.h"
#include "report/portrait_files.h"
#include "report/run_folder.h"

namespace coterie {

struct RunFacts {
  RunRecord run;
  std::vector<ClientRow> clients;
  std::vector<EventLine> events;
  ClusterMatrix matrix;
  LossTable losses;
  TableColumns columns;
  std::vector<ColumnFacts> means;
  std::vector<Coefficient> coefficients;
  std::map<std::uint32_t, ClientGain> gains;  // by client, where the sweep has fedavg or local as well
  std::string figure;                         // what they are gains of

  // Clusters that have clients, in the order of the matrix.
  std::vector<std::uint32_t> filled() const;
};

// Throws Error when the folder holds no finished run, or a file of it is damaged.
RunFacts read_facts(const std::string& folder);

// The gains of a run's clients over the fedavg and local runs of the same sweep, on the same data and seed;
// none where the run is no part of a sweep, or the sweep is too large to look through.
Gains sibling_gains(const RunRecord& run);

// "cluster 3".
std::string cluster_name(std::uint32_t cluster);

}  // namespace coterie
