// Clusters of clients, found in one exchange: every client sends the model it would learn alone, and the
// server groups those (ODCL). A method of its own, and a start for others.
#pragma once

#include <span>

#include "coterie/erm.h"

namespace coterie {

struct ClusteringOptions;  // math/clustering.h

// The plain mean of each group's models, and the group of each client; a client whose own model could not be
// used has none. `k` groups, unless the options find their number. `truth` has the true cluster of each
// client where the options need it. An event tells what was found and how far apart it is.
Start group_local_models(Fleet& fleet, const Setting& setting, const ErmOptions& erm,
                         const ClusteringOptions& clustering, std::size_t k,
                         std::span<const std::uint32_t> truth);

}  // namespace coterie
