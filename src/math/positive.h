// Linear systems with a symmetric positive definite matrix.
#pragma once

#include <cstddef>
#include <span>

#include "coterie/archive.h"

namespace coterie {

// Solves A x = b by Cholesky's factorisation, in place: x replaces b, and what `a` (row by row, of which the
// part on and below the diagonal is read) held is lost. False when A is not positive definite to rounding.
bool solve_positive(std::span<double> a, std::span<double> b);

// Its two halves. The lower triangular L with L L' = A replaces A's part on and below the diagonal.
bool factor_positive(std::span<double> a, std::size_t size);
// Solves L x = b; x replaces b.
void solve_lower(std::span<const double> l, std::span<double> b);

}  // namespace coterie
