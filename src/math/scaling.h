// Points in the plane, for pictures: as near as two coordinates come to given distances.
#pragma once

#include "coterie/data.h"
#include "math/gemm.h"

namespace coterie {

// Classical scaling (Torgerson, 1952): count x 2 coordinates whose squared distances are nearest to these
// (count x count, symmetric, zero on the diagonal). The cost is that of all eigenvectors: for some hundred
// points.
Vec classical_scaling(Matrix<const double> squared_distances);

// The same for distances between rows of a matrix, by its two main axes (principal components): the cost
// grows with columns^3.
Vec main_axes(Matrix<const double> rows);

}  // namespace coterie
