// Orthonormal rows, by Gram-Schmidt.
#pragma once

#include <cstddef>

#include "coterie/data.h"

namespace coterie {

// Rows of `basis`, each `width` wide, become orthonormal; those that depend on the ones above become zero.
// `dependent` is the share of a row's length that may be left of it then.
void orthonormalise(Vec& basis, std::size_t width, double dependent = 1e-12);

}  // namespace coterie
