// Inner products and combinations of long vectors that are kept apart, at whatever precision they came, read
// a stretch at a time so that a server need not hold them in double.
#pragma once

#include <span>
#include <vector>

#include "coterie/data.h"

namespace coterie {

// Inner products of all vectors with all, row by row. Stretches are multiplied at the vectors' own precision
// and added in double: good to about seven digits of the squared lengths for floats.
Vec inner_products(std::span<const Numbers* const> vectors);

// sum_i factors_i vectors_i, in double, terms in order.
Vec combination(std::span<const Numbers* const> vectors, std::span<const double> factors);

}  // namespace coterie
