// Clients on a plane, by how well models fit what they held out, and the matrix of those losses.
#pragma once

#include <string>

#include "report/run_facts.h"

namespace coterie {

// Two clusters: the loss under either. More: the two main axes of the loss under each (in logarithms, less
// each client's mean). Models of clients: classical scaling of how much worse clients do with each other's.
// Empty without losses.
std::string map_card(const RunFacts& facts);

// The loss of each model on each client; of many clients, on the clients of each cluster.
std::string losses_card(const RunFacts& facts);

}  // namespace coterie
