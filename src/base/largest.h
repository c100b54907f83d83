// The largest absolute value of many, and whether all are finite, in one pass.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <span>

namespace coterie {

// NaN if any value is not finite. Two registers of maxima side by side; x - x is 0, or NaN when x is not
// finite.
template <class Real>
double largest_of(std::span<const Real> values) {
  using Register [[gnu::vector_size(32)]] = Real;
  constexpr std::size_t kLanes = sizeof(Register) / sizeof(Real);
  Register largest[2] = {}, spoilt[2] = {};
  std::size_t j = 0;
  for (; j + 2 * kLanes <= values.size(); j += 2 * kLanes) {
    for (std::size_t r = 0; r < 2; ++r) {
      Register x;
      std::memcpy(&x, values.data() + j + r * kLanes, sizeof x);
      const Register size = x < 0 ? -x : x;
      largest[r] = size > largest[r] ? size : largest[r];
      spoilt[r] += x - x;
    }
  }
  double all = 0, bad = 0;
  for (; j < values.size(); ++j) {
    all = std::max(all, static_cast<double>(std::fabs(values[j])));
    bad += static_cast<double>(values[j] - values[j]);
  }
  for (std::size_t r = 0; r < 2; ++r) {
    for (std::size_t l = 0; l < kLanes; ++l) {
      all = std::max(all, static_cast<double>(largest[r][l]));
      bad += static_cast<double>(spoilt[r][l]);
    }
  }
  return bad == 0 ? all : std::nan("");
}

}  // namespace coterie
