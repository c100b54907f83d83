// Are the groups found again? Clients resample their rows and estimate again; clients are grouped anew, and
// each group is compared with the new group that is most like it.
//
// A resample adds a whole second noise to that of the estimate, and groups that rows tell apart clearly
// overlap in it. So estimates move half of the way only: by a quarter of the variance, as if a fifth of the
// rows were left out, (1 - f) / f = 1 / 4 at f = 0.8.
//
// Halves cut out of a continuum can be found again too, where clients have many rows. So what is found again
// is compared with what would be found again of groups that are cut out of one Gaussian continuum of the same
// spread and noise (see docs/groups.md):
//
//   stability of a group = (J - J0) / (1 - J0),   J its mean Jaccard index, J0 that of cut-out groups
//
// which is 0 for groups that are not there and 1 for groups that always come back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "groups/mixture_test.h"

namespace coterie {

struct Stability {
  std::size_t resamples = 0;
  Vec jaccard;           // of each group: the mean over resamples of |A and B| / |A or B|
  double by_chance = 0;  // J0
  Vec stability;         // of each group, at most 1; may be below 0
  double least = 0;      // of these
  Vec client_share;      // of each client: the share of resamples in which it is in its group
  double same_count =
      0;  // the share of resamples in which as many groups came out, by the test's critical values
};

struct StabilityOptions {
  double shake = 0.5;         // the part of the way to a resample's estimates; 1 is the plain bootstrap
  std::size_t cut_outs = 12;  // continua that are drawn for J0
  std::size_t cut_out_resamples = 4;  // of each
  MixtureOptions mixture = {.starts = 4};
};

// `resampled` has one entry for each resample: clients x q, the estimates b of all clients.
// `groups` are those asked about: GroupCount's mixture, or `two` where it found one group only. `steps` are
// the test's: their critical values decide how many groups a resample has.
Stability stability_of(const Estimates& estimates, const GroupMixture& groups,
                       const std::vector<GroupStep>& steps, const std::vector<Vec>& resampled,
                       const StabilityOptions& options, std::uint64_t seed, const Spread& spread = {});

}  // namespace coterie
