// Merging clusters whose vectors point the same way (StoCFL; Zeng et al., 2023): pairs in the order of their
// cosine similarity, the most alike first, as long as it is at least tau. Merging is transitive, so clusters
// that are joined by a chain of alike pairs become one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "math/points.h"

namespace coterie {

// The clusters of this pair became one, under the number `kept`, the smaller. Its model is that of
// `model_of`: the larger of the two, `kept` of equals.
struct Merge {
  std::uint32_t kept = 0;
  std::uint32_t gone = 0;
  std::uint32_t model_of = 0;
  double similarity = 0;  // of the pair of vectors that joined them
};

struct Merges {
  std::vector<Merge> all;  // in the order in which they happen
  // Of the most alike pair that stays apart; nothing when one cluster is left.
  std::optional<double> apart;
};

// One vector and one number of members for each cluster. Of equally alike pairs the one with the smaller
// numbers comes first.
Merges merge_alike(const Points& vectors, std::span<const std::size_t> sizes, double tau);

}  // namespace coterie
