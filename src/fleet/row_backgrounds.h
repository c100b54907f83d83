// The backgrounds of a client's rows: the value that most of a row has (math/gemm.h).
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "math/kernels.h"

namespace coterie {

inline constexpr std::size_t kLongRow = 32;  // numbers from which a background pays (math/strips.h)

// One for each row; none if all are 0, or rows are short.
template <class Real>
std::vector<Real> backgrounds_of_rows(std::span<const Real> x, std::size_t width) {
  std::vector<Real> all;
  for (std::size_t begin = 0; width >= kLongRow && begin < x.size(); begin += width)
    all.push_back(background_of(x.subspan(begin, width)));
  if (std::all_of(all.begin(), all.end(), [](Real value) { return value == 0; })) all.clear();
  return all;
}

}  // namespace coterie
