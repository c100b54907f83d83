// The clusters as pictures: a heat map of found by true clusters, and every client as a dot.
#pragma once

#include <string>
#include <vector>

#include "report/cluster_matrix.h"

namespace coterie {

// Counts, coloured by their share of the true cluster. Empty unless there are true clusters to recover.
std::string heat_map(const ClusterMatrix& matrix);

// Training clients as dots, coloured by found cluster and grouped by true cluster, with their names where
// they have some and are few. Beyond 1,500 clients a dot stands for several. Empty when there are no found
// clusters.
std::string client_dots(const ClusterMatrix& matrix, const std::vector<ClientRow>& clients);

}  // namespace coterie
