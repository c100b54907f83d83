// Transposing into a packed panel, a register block at a time.
#pragma once

#include "math/lanes.h"

namespace coterie {

// An 8 x 8 block of floats or a 4 x 4 block of doubles.
inline void transpose_block(const float* from, std::size_t from_step, float* to, std::size_t to_step) {
  Lanes<float> a[8];
  Lanes<float> b[8];
  for (std::size_t i = 0; i < 8; ++i) a[i] = load(from + i * from_step);
  for (std::size_t i = 0; i < 8; i += 2) {
    b[i] = __builtin_shufflevector(a[i], a[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    b[i + 1] = __builtin_shufflevector(a[i], a[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  for (std::size_t i = 0; i < 8; i += 4) {
    a[i] = __builtin_shufflevector(b[i], b[i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
    a[i + 1] = __builtin_shufflevector(b[i], b[i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    a[i + 2] = __builtin_shufflevector(b[i + 1], b[i + 3], 0, 1, 8, 9, 4, 5, 12, 13);
    a[i + 3] = __builtin_shufflevector(b[i + 1], b[i + 3], 2, 3, 10, 11, 6, 7, 14, 15);
  }
  for (std::size_t i = 0; i < 4; ++i) {
    b[i] = __builtin_shufflevector(a[i], a[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    b[i + 4] = __builtin_shufflevector(a[i], a[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
  for (std::size_t i = 0; i < 8; ++i) store(to + i * to_step, b[i]);
}

inline void transpose_block(const double* from, std::size_t from_step, double* to, std::size_t to_step) {
  Lanes<double> a[4];
  Lanes<double> b[4];
  for (std::size_t i = 0; i < 4; ++i) a[i] = load(from + i * from_step);
  for (std::size_t i = 0; i < 4; i += 2) {
    b[i] = __builtin_shufflevector(a[i], a[i + 1], 0, 4, 2, 6);
    b[i + 1] = __builtin_shufflevector(a[i], a[i + 1], 1, 5, 3, 7);
  }
  for (std::size_t i = 0; i < 2; ++i) {
    a[i] = __builtin_shufflevector(b[i], b[i + 2], 0, 1, 4, 5);
    a[i + 2] = __builtin_shufflevector(b[i], b[i + 2], 2, 3, 6, 7);
  }
  for (std::size_t i = 0; i < 4; ++i) store(to + i * to_step, a[i]);
}

// to (columns x rows) = the transpose of from (rows x columns).
template <class Real>
void transpose(const Real* from, std::size_t rows, std::size_t columns, std::size_t from_step, Real* to,
               std::size_t to_step) {
  constexpr std::size_t kL = kLanes<Real>;
  std::size_t r = 0;
  for (; r + kL <= rows; r += kL) {
    std::size_t c = 0;
    for (; c + kL <= columns; c += kL)
      transpose_block(from + r * from_step + c, from_step, to + c * to_step + r, to_step);
    for (; c < columns; ++c) {
      for (std::size_t l = 0; l < kL; ++l) to[c * to_step + r + l] = from[(r + l) * from_step + c];
    }
  }
  for (; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) to[c * to_step + r] = from[r * from_step + c];
  }
}

}  // namespace coterie
