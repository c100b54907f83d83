// The rule for splits that needs no threshold with units: which parts a cluster falls into, by the distances
// between its members.
//
// Where a distance is 1 - cosine of a vector that each client has, by gaps in the eigenvalues (gap_parts.h),
// into any number of parts. Other distances may be unknown for some pairs (NaN): two parts by average linkage
// of what is known, each of two clients or more, where the mean distance across is at least `least_ratio`
// times that within.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/tiers/parts.h"
#include "coterie/random.h"

namespace coterie {

struct GapSplit {
  std::vector<std::uint32_t> parts;  // of each member, from 0; empty: the cluster stays whole
  std::string text;                  // what was found
  std::vector<std::pair<std::string, double>> numbers;
};

GapSplit gap_split(const TierOptions& options, const TierDistance& distance, Vec distances, std::size_t count,
                   Stream& stream);

// Two parts by average linkage. The distance between groups is the mean over pairs that are known; groups
// without any are joined last. Who would be alone joins the nearer part, also in the means.
struct MaskedParts {
  std::vector<std::uint32_t>
      parts;          // 0 or 1, the first member in 0; empty: there are no two parts of two or more
  double within = 0;  // mean distance inside parts
  double across = 0;  // between them
};
MaskedParts masked_parts(std::span<const double> distances, std::size_t count);

}  // namespace coterie
