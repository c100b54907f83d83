// An upper bound of a matrix's largest singular value, a tenth above it at most for matrices of a few hundred
// columns.
#pragma once

#include <cstddef>
#include <span>

namespace coterie {

// Of rows x columns, row by row. Exact for a single column. 0 for an empty matrix; NaN when some value is not
// finite.
double operator_norm_bound(std::span<const double> matrix, std::size_t columns);

}  // namespace coterie
