// A mixture of Gaussians behind clients' estimates: client i is in group k with probability share_k, and then
//
//   b_i ~ N(mu_k, T + V_i)
//
// T is the spread of true coefficients inside groups, common to all groups; V_i is the client's own noise.
// With one group this is the random-coefficients model of econometrics, with T = 0 groups are "latent group
// structures" (one b for all members). T + V_i >= V_i, so the likelihood is bounded and no group collapses.
//
// Fitted by EM from several starts (k-means++ on whitened estimates), in the few directions in which clients
// differ most beyond noise (groups/projection.h): K groups differ in K - 1 directions, and the others only
// add noise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "coterie/random.h"
#include "groups/estimate.h"

namespace coterie {

struct MixtureOptions {
  std::size_t directions = 4;    // at most so many; at most 4
  std::size_t starts = 8;        // the one of highest likelihood wins
  std::size_t iterations = 200;  // of EM, for each start
  bool moderate = true;          // covariances first borrow strength from each other (groups/moderation.h)
  bool spread_inside = true;     // false: T = 0
};

struct GroupMixture {
  std::size_t groups = 0;
  Vec share;       // of each group, sums to 1
  Vec mu;          // groups x q: the GLS mean of each group's clients, weighted by membership
  Vec inside;      // q x q: T, given the memberships
  Vec membership;  // clients x groups, each row sums to 1
  std::vector<std::uint32_t> labels;  // the likeliest group of each client
  std::size_t directions = 0;         // that were used
  double log_likelihood = 0;          // of the projected estimates
  double bic = 0;                     // -2 log likelihood + parameters log clients; smaller is better
  double apart = 0;  // the least Mahalanobis distance, by T + mean V, between two groups; infinite for one
};

// Groups are numbered from the most clients (by their likeliest groups) to the fewest, those of equal size by
// their first client: whatever the start, equal partitions have equal numbers. Throws Error when estimates
// are unusable (require_estimates); K may exceed the number of clients, then some groups share a place.
GroupMixture fit_mixture(const Estimates& estimates, std::size_t groups, const MixtureOptions& options,
                         Stream& stream);

}  // namespace coterie
