// Least squares of any rank.
#pragma once

#include <span>

#include "coterie/data.h"
#include "math/gemm.h"

namespace coterie {

// The w of least length among those with least  |X w - y|^2 + ridge |w|^2. Rank is decided by a
// column-pivoted QR at Eigen's usual threshold, so repeated or dependent columns share their weight. Same
// bits for equal inputs whatever their address.
Vec least_squares(Matrix<const double> x, std::span<const double> y, double ridge = 0);

// The same without ridge for entries that were rounded: those of column j are known to within rounding[j].
// What is smaller than that in a combination of columns is no evidence: a column that is the sum of two
// others in single precision is dependent, though not to the last bit of a double. Lengths are then measured
// in units of rounding. Where nothing is dependent the bits are those of least_squares.
Vec least_squares_rounded(Matrix<const double> x, std::span<const double> y,
                          std::span<const double> rounding);

}  // namespace coterie
