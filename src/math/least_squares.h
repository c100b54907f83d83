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

}  // namespace coterie
