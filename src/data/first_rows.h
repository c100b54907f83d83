// The inputs of a model's first layer as the left side of products, with what is known of them.
#pragma once

#include <algorithm>

#include "coterie/methods/first_layer.h"
#include "math/gemm.h"

namespace coterie {

// Rows that a model works on at a time. A wide first layer wants many, to feed the product; what is behind a
// narrow one is still in cache when a second product needs it if there are few.
inline constexpr std::size_t kBlockRows = 256;
template <class Real>
std::size_t rows_at_a_time(const FirstLayer* first) {
  constexpr std::size_t kBlockBytes = 256 * 1024;  // of inputs: half a second-level cache
  if (first == nullptr || first->outputs() >= 64) return kBlockRows;
  return std::clamp<std::size_t>(kBlockBytes / (first->inputs() * sizeof(Real)), 8, kBlockRows);
}

// `inputs`: those of the model for these rows, so many numbers for each.
template <class Real>
Matrix<const Real> first_rows(const Real* inputs, std::size_t width, const Batch<Real>& data) {
  // Inputs that are made from the rows have no backgrounds.
  const bool rows = inputs == data.x.data();
  return data_rows(inputs, data.rows, width, rows ? data.backgrounds : std::span<const Real>());
}
template <class Real>
Matrix<const Real> first_rows(const FirstLayer& first, const Batch<Real>& data) {
  return first_rows(first.first_inputs(data), first.inputs(), data);
}

}  // namespace coterie
