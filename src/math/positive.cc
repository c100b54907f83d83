#include "math/positive.h"

#include <cmath>

#include "math/kernels.h"

namespace coterie {

bool solve_positive(std::span<double> a, std::span<double> b) {
  const std::size_t n = b.size();
  auto begin_of = [&](std::size_t row, std::size_t count) {
    return std::span<const double>(a).subspan(row * n, count);
  };
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      a[i * n + j] = (a[i * n + j] - dot(begin_of(i, j), begin_of(j, j))) / a[j * n + j];
    }
    const double square = a[i * n + i] - squared_norm(begin_of(i, i));
    if (!(square > 0)) return false;
    a[i * n + i] = std::sqrt(square);
    b[i] = (b[i] - dot(begin_of(i, i), std::span<const double>(b).first(i))) / a[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    b[i] /= a[i * n + i];
    for (std::size_t j = 0; j < i; ++j) b[j] -= a[i * n + j] * b[i];
  }
  return true;
}

}  // namespace coterie
