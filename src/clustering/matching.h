// Optimal one-to-one matching of the rows of a cost matrix to its columns: which found cluster is which true
// one.
//
// When the matrix is not square, every line of the shorter side is matched and the longer side keeps some
// free.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace coterie {

inline constexpr std::size_t kUnmatched = static_cast<std::size_t>(-1);

struct Assignment {
  std::vector<std::size_t> column;  // of each row; kUnmatched when there are more rows than columns
  double value = 0;                 // the sum, or the largest, of the matched costs; 0 for an empty matrix
};

// The least sum of matched costs (Hungarian algorithm with potentials): O(s^2 l), s the shorter and l the
// longer side. `costs` is rows x columns, row by row, all finite.
Assignment assign_least_sum(std::span<const double> costs, std::size_t rows, std::size_t columns);

// The least largest matched cost: a search for the smallest threshold under which all of the shorter side can
// be matched. O(log(s l) s^2 l). Costs may be infinite but not NaN.
Assignment assign_least_max(std::span<const double> costs, std::size_t rows, std::size_t columns);

}  // namespace coterie
