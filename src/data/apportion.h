// Whole numbers in given proportions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace coterie {

// Splits `total` in proportion to the weights (non-negative, not all zero) by the method of largest
// remainders: each part is its exact share rounded down or up. Of equal remainders the first is served first.
std::vector<std::size_t> apportion(std::size_t total, std::span<const double> weights);

// counts[v] times each v, in an order whose every beginning holds them as nearly as it can in those
// proportions. Equal counts give 0, 1, 2, 0, 1, 2, ...
std::vector<std::uint32_t> interleave(std::span<const std::size_t> counts);

// Where piece i of `pieces` begins when `total` is cut into pieces whose sizes differ by at most one, larger
// ones first.
inline std::size_t even_start(std::size_t total, std::size_t pieces, std::size_t i) {
  const std::size_t larger = total % pieces;
  return total / pieces * i + (i < larger ? i : larger);
}

}  // namespace coterie
