// Factors of small covariance matrices, for drawing correlated normals.
#pragma once

#include <optional>
#include <span>

#include "coterie/data.h"

namespace coterie {

// Up to rounding.
bool is_symmetric(std::span<const double> matrix, std::size_t size);

// The lower triangular L with L L^T = matrix (row by row, size x size), or nothing when the matrix is not
// symmetric positive semidefinite. Matrices without full rank are fine: their L has columns of zeros.
std::optional<Vec> cholesky(std::span<const double> matrix, std::size_t size);

// The matrix with its negative eigenvalues turned positive: what samplers that work by singular values draw
// from when they are handed a symmetric matrix that is no covariance ([[1,2],[2,1]] becomes [[2,1],[1,2]]).
Vec with_absolute_eigenvalues(std::span<const double> symmetric, std::size_t size);

}  // namespace coterie
