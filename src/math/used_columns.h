// Which columns of a few rows are not all zeros: a product can leave out the others.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "math/gemm.h"

namespace coterie {

// Writes them to `list`, in order; returns how many. There is room in `list` for all columns, at most 256.
template <class Real>
std::size_t used_columns(const Matrix<const Real>& rows, std::uint8_t* list) {
  using Bits = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;
  Bits marks[256];  // 0: zeros, of either sign
  std::fill_n(marks, rows.columns, Bits(0));
  if (rows.column_step == 1) {
    for (std::size_t r = 0; r < rows.rows; ++r) {
      const Real* row = rows.data + r * rows.row_step;
      for (std::size_t k = 0; k < rows.columns; ++k) marks[k] |= std::bit_cast<Bits>(row[k]) << 1;
    }
  } else {
    for (std::size_t k = 0; k < rows.columns; ++k) {
      const Real* column = rows.data + k * rows.column_step;
      Bits bits = 0;
      for (std::size_t r = 0; r < rows.rows; ++r) bits |= std::bit_cast<Bits>(column[r]);
      marks[k] = bits << 1;
    }
  }
  std::size_t count = 0;
  for (std::size_t k = 0; k < rows.columns; ++k) {
    list[count] = static_cast<std::uint8_t>(k);
    count += marks[k] != 0;
  }
  return count;
}

}  // namespace coterie
