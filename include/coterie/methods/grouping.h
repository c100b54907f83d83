// Clusters of clients by the models that each would learn alone, as ODCL's server finds them: for the method
// itself, and as a start for others.
#pragma once

#include <span>
#include <string>

#include "coterie/methods/erm.h"

namespace coterie {

struct ClusteringOptions;  // clustering/clustering.h

// How much a client counts in the mean of its group: as much as any other, as in the paper, or by its
// samples. A choice of its own, since [aggregate] weights has another default.
struct GroupWeights {
  std::string weights = "uniform";  // or "samples"

  void options(Options& o);
};

// The mean of each group's models, and the group of each client; one that is not among `local`, of which
// there is at least one, has none. `k` groups, unless the options find their number. `truth` has the true
// cluster of each client where the options need it. An event tells what was found and how far apart it is.
Start group_models(Fleet& fleet, const Setting& setting, const LocalModels& local,
                   const ClusteringOptions& clustering, const GroupWeights& weights, std::size_t k,
                   std::span<const std::uint32_t> truth);

}  // namespace coterie
