// The largest absolute value of many, and whether all are finite, in one pass.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace coterie {

// NaN if any value is not finite. Sixteen maxima side by side; x - x is 0, or NaN when x is not finite.
template <class Real>
double largest_of(std::span<const Real> values) {
  constexpr std::size_t kAtOnce = 16;
  Real largest[kAtOnce] = {};
  Real spoilt[kAtOnce] = {};
  std::size_t j = 0;
  for (; j + kAtOnce <= values.size(); j += kAtOnce) {
    for (std::size_t l = 0; l < kAtOnce; ++l) {
      const Real size = std::fabs(values[j + l]);
      largest[l] = size > largest[l] ? size : largest[l];
      spoilt[l] += size - size;
    }
  }
  for (; j < values.size(); ++j) {
    largest[0] = std::max(largest[0], std::fabs(values[j]));
    spoilt[0] += values[j] - values[j];
  }
  double all = 0;
  for (std::size_t l = 0; l < kAtOnce; ++l) {
    all = std::max(all, static_cast<double>(largest[l]));
    if (spoilt[l] != 0) return std::nan("");
  }
  return all;
}

}  // namespace coterie
