// One batch on its way through a network of libtorch: the tensors that its blocks read and write.
//
// Tensors borrow the flat vectors, so nothing is copied. Clients are the parallel axis: whoever computes
// calls use_one_thread() first, and every operation then runs on the calling thread alone.
#pragma once

#include <ATen/ATen.h>

#include <cstddef>
#include <span>
#include <vector>

#include "coterie/model.h"

namespace coterie::torch_models {

// libtorch, OpenMP and OpenBLAS use the calling thread alone from here on.
void use_one_thread();

template <class Real>
constexpr at::ScalarType type_of() {
  return sizeof(Real) == sizeof(float) ? at::kFloat : at::kDouble;
}

inline std::int64_t as_size(std::size_t size) { return static_cast<std::int64_t>(size); }

// A tensor over numbers that somebody else owns.
template <class Real>
at::Tensor borrow(std::span<const Real> numbers, at::IntArrayRef sizes) {
  return at::from_blob(const_cast<Real*>(numbers.data()), sizes, at::TensorOptions(type_of<Real>()));
}

struct Pass {
  // One for each layer, buffers included, in its own shape. Where a gradient is wanted, those of the
  // extractor require it.
  std::vector<at::Tensor> layers;
  // Where the slopes of a layer go that its block writes by itself; undefined where none are wanted.
  std::vector<at::Tensor> slopes;
  // The client's, in a step of training; null otherwise: then nothing is random, and batch-norm uses its
  // statistics.
  Stream* stream = nullptr;

  bool training() const { return stream != nullptr; }
};

}  // namespace coterie::torch_models
