#include "math/positive.h"

#include <cmath>

#include "math/kernels.h"

namespace coterie {

bool factor_positive(std::span<double> a, std::size_t size) {
  auto begin_of = [&](std::size_t row, std::size_t count) {
    return std::span<const double>(a).subspan(row * size, count);
  };
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      a[i * size + j] = (a[i * size + j] - dot(begin_of(i, j), begin_of(j, j))) / a[j * size + j];
    }
    const double square = a[i * size + i] - squared_norm(begin_of(i, i));
    if (!(square > 0)) return false;
    a[i * size + i] = std::sqrt(square);
  }
  return true;
}

void solve_lower(std::span<const double> l, std::span<double> b) {
  const std::size_t n = b.size();
  for (std::size_t i = 0; i < n; ++i) {
    b[i] = (b[i] - dot(l.subspan(i * n, i), std::span<const double>(b).first(i))) / l[i * n + i];
  }
}

bool solve_positive(std::span<double> a, std::span<double> b) {
  const std::size_t n = b.size();
  if (!factor_positive(a, n)) return false;
  solve_lower(a, b);
  for (std::size_t i = n; i-- > 0;) {
    b[i] /= a[i * n + i];
    for (std::size_t j = 0; j < i; ++j) b[j] -= a[i * n + j] * b[i];
  }
  return true;
}

}  // namespace coterie
