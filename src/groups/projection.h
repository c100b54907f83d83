// The few directions in which clients differ most beyond their noise.
#pragma once

#include <cstddef>

#include "groups/em.h"
#include "groups/estimate.h"

namespace coterie {

// The leading solutions of  C x = lambda N x,  C the spread of the b_i and N their mean noise, both with
// weight 1 / (1 + noise of client i against typical noise), so that clients with few rows do not decide.
// Scaled to x' N x = 1. Those with lambda above the largest that noise alone would give, (1 + sqrt(q / m))^2,
// at least one and at most `most`.
struct Projection {
  std::size_t width = 0;       // q
  std::size_t directions = 0;  // p
  Vec x;                       // p x q
  Vec lambda;                  // all q of them, falling
};
Projection leading_directions(const Estimates& estimates, std::size_t most);

Cloud project_estimates(const Estimates& estimates, const Projection& onto);

}  // namespace coterie
