// How well two groupings of the same items agree, whatever their groups are called: found clusters against
// true ones.
//
// Empty groupings have no agreement: every measure is NaN for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace coterie {

// How many items are in found group f and true group t. Groups are numbered from 0; those without items
// count.
struct Contingency {
  std::size_t found = 0;
  std::size_t truth = 0;
  std::vector<double> counts;  // found x truth, row by row

  double operator()(std::size_t f, std::size_t t) const { return counts[f * truth + t]; }
};
Contingency contingency(std::span<const std::uint32_t> found, std::span<const std::uint32_t> truth);

// Adjusted Rand index (Hubert and Arabie, 1985): pairs of items on which the groupings agree, scaled so that
// chance gives 0 and identity 1. Below 0 when worse than chance. 1 when both put all in one group, or each
// item alone.
double adjusted_rand_index(const Contingency& table);

// Mutual information over the mean of the two entropies: in [0, 1]. 1 when both have one group only.
double normalized_mutual_information(const Contingency& table);

// The share of items that are right when each found group stands for at most one true group, chosen for the
// best.
double matched_share(const Contingency& table);

}  // namespace coterie
