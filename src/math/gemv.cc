#include "math/gemv.h"

#include <algorithm>
#include <cmath>

#include "math/kernels.h"

namespace coterie {
namespace {

constexpr std::size_t kChunk = 512;  // columns whose sums stay in the first-level cache

template <class Real>
void dots_of(Matrix<const Real> m, const Real* v, Real* out, Into into) {
  for (std::size_t i = 0; i < m.rows; ++i) {
    const Real product = dot({m.data + i * m.row_step, m.columns}, {v, m.columns});
    out[i] = into == Into::add ? out[i] + product : product;
  }
}

// sums += the first `rows` rows of m, each times its factor; four rows to a pass over the sums.
template <class Real>
void add_rows(const Real* factors, std::size_t step, Matrix<const Real> m, Real* sums) {
  std::size_t k = 0;
  for (; k + 4 <= m.rows; k += 4) {
    const Real f[4] = {factors[k * step], factors[(k + 1) * step], factors[(k + 2) * step],
                       factors[(k + 3) * step]};
    const Real* row = m.data + k * m.row_step;
    const std::size_t down = m.row_step;
    for (std::size_t j = 0; j < m.columns; ++j) {
      Real sum = std::fma(f[0], row[j], sums[j]);
      sum = std::fma(f[1], row[down + j], sum);
      sum = std::fma(f[2], row[2 * down + j], sum);
      sums[j] = std::fma(f[3], row[3 * down + j], sum);
    }
  }
  for (; k < m.rows; ++k) {
    const Real factor = factors[k * step];
    const Real* row = m.data + k * m.row_step;
    for (std::size_t j = 0; j < m.columns; ++j) sums[j] = std::fma(factor, row[j], sums[j]);
  }
}

template <class Real>
void combine(const Real* factors, std::size_t step, Matrix<const Real> m, Real* out, Into into) {
  if (into == Into::set) std::fill_n(out, m.columns, Real(0));
  Real sums[kChunk];
  for (std::size_t k = 0; k < m.rows; k += kSumBlock) {
    const std::size_t rows = std::min(kSumBlock, m.rows - k);
    for (std::size_t j = 0; j < m.columns; j += kChunk) {
      const std::size_t columns = std::min(kChunk, m.columns - j);
      std::fill_n(sums, columns, Real(0));
      add_rows(factors + k * step, step,
               Matrix<const Real>(m.data + k * m.row_step + j, rows, columns, m.row_step, 1), sums);
      for (std::size_t l = 0; l < columns; ++l) out[j + l] += sums[l];
    }
  }
}

}  // namespace

void dots(Matrix<const float> m, const float* v, float* out, Into into) { dots_of(m, v, out, into); }
void dots(Matrix<const double> m, const double* v, double* out, Into into) { dots_of(m, v, out, into); }

void combine_rows(const float* factors, std::size_t step, Matrix<const float> m, float* out, Into into) {
  combine(factors, step, m, out, into);
}
void combine_rows(const double* factors, std::size_t step, Matrix<const double> m, double* out, Into into) {
  combine(factors, step, m, out, into);
}

}  // namespace coterie
