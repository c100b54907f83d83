// How sure one can be of a client's cluster: a posterior over the clusters,
//
//   p_k  ~  (n_k + 1/2) exp(- S_k / T)
//
// where n_k clients trained in cluster k, S_k is the sum of the losses of a client's rows under its model,
// and T is a temperature. At T = 1 losses count as the model's own log-likelihood; above, rows tell less than
// the model believes. The half gives a cluster without clients a chance.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "coterie/data.h"

namespace coterie {

// Sums to 1. Costs that are not finite have no share; where all are such, the sizes alone count.
Vec posterior(std::span<const double> costs, std::span<const double> sizes, double temperature);

// What a training client's held-out rows say: they took no part in finding its cluster.
struct HeldOut {
  std::uint32_t cluster = 0;
  double rows = 0;
  Vec costs;
};

// Where losses are the model's log-likelihood: 1 for classes; for a regression twice the mean loss, as for
// errors that are normal.
double natural_temperature(Task task, std::span<const HeldOut> clients);

// The temperature that makes the clusters in which the clients are likeliest, given their held-out rows. So
// that a few clients that are all told apart do not make it 0, log T has a normal prior of deviation 1 around
// the natural one: as much as one client or two would say.
double fit_temperature(std::span<const HeldOut> clients, std::span<const double> sizes, double natural);

}  // namespace coterie
