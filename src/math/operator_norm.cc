#include "math/operator_norm.h"

#include <cmath>
#include <vector>

#include "math/gemm.h"
#include "math/kernels.h"

namespace coterie {
namespace {

constexpr int kSquarings = 4;
constexpr double kRounding = 1.0001;  // what float arithmetic may lose

}  // namespace

// With B = M' M (or M M', whichever is smaller), all eigenvalues of which are squares of singular values,
//   |M|^2 = |B| <= |B^p|_F^(1/p),
// and the right side tends to the left as p grows; p = 16 by repeated squaring.
double operator_norm_bound(std::span<const double> matrix, std::size_t columns) {
  if (matrix.empty()) return 0;
  const double frobenius = std::sqrt(squared_norm(matrix));
  const std::size_t rows = matrix.size() / columns;
  if (rows == 1 || columns == 1 || frobenius == 0 || !std::isfinite(frobenius)) return frobenius;
  // Scaled to |M|_F = 1, so that powers neither overflow nor vanish all at once.
  std::vector<float> scaled(matrix.size());
  for (std::size_t j = 0; j < matrix.size(); ++j) scaled[j] = static_cast<float>(matrix[j] / frobenius);
  const Matrix<const float> m(scaled.data(), rows, columns);
  const std::size_t size = rows < columns ? rows : columns;
  std::vector<float> b(size * size), square(size * size);
  const Matrix<float> to(b.data(), size, size);
  rows < columns ? multiply(m, m.transposed(), to) : multiply(m.transposed(), m, to);
  double log_scale = 0;  // b is B^p / exp(p log_scale)
  double power = 1;
  for (int s = 0; s < kSquarings; ++s) {
    multiply(Matrix<const float>(b.data(), size, size), Matrix<const float>(b.data(), size, size),
             Matrix<float>(square.data(), size, size));
    power *= 2;
    const double norm = std::sqrt(squared_norm(std::span<const float>(square)));
    if (!(norm > 0)) return frobenius;
    for (std::size_t j = 0; j < b.size(); ++j) b[j] = static_cast<float>(square[j] / norm);
    log_scale += std::log(norm) / power;
  }
  // |B^p|_F = exp(p log_scale), since b has norm 1 now.
  const double bound = frobenius * std::exp(log_scale / 2) * kRounding;
  return bound < frobenius ? bound : frobenius;
}

}  // namespace coterie
