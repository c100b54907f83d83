#include "math/gemv.h"

#include <algorithm>
#include <cmath>

#include "math/lanes.h"

namespace coterie {
namespace {

constexpr std::size_t kChunk = 1024;  // columns whose sums stay in the first-level cache

// Fewer than a register of numbers, and zeros.
template <class Real>
Lanes<Real> load_rest(const Real* from, std::size_t count) {
  Real padded[kLanes<Real>] = {};
  copy_few<kLanes<Real>>(from, count, padded);
  return load(padded);
}

// Rows x Vectors sums side by side, enough of them to hide the latency of an addition, over as many whole
// registers as there are. Each row reads `ahead` of itself: the memory would otherwise wait for the
// arithmetic. Never inlined, so that the sums stay in registers.
template <std::size_t Rows, std::size_t Vectors, class Real>
[[gnu::noinline]] void dot_tile(const Real* rows, std::size_t down, const Real* const* vectors,
                                std::size_t registers, std::size_t ahead, Lanes<Real> (&out)[Rows][Vectors]) {
  constexpr std::size_t kL = kLanes<Real>;
  Lanes<Real> sums[Rows][Vectors] = {};
  std::size_t j = 0;
  if (registers % 2 == 1) {
#pragma GCC unroll 8
    for (std::size_t k = 0; k < Vectors; ++k) {
      const Lanes<Real> v = load(vectors[k]);
#pragma GCC unroll 8
      for (std::size_t r = 0; r < Rows; ++r) sums[r][k] = load(rows + r * down) * v;
    }
    j = kL;
  }
  for (; j < registers * kL; j += 2 * kL) {
#pragma GCC unroll 8
    for (std::size_t r = 0; r < Rows; ++r) __builtin_prefetch(rows + r * down + ahead + j);
#pragma GCC unroll 2
    for (std::size_t half = 0; half < 2 * kL; half += kL) {
#pragma GCC unroll 8
      for (std::size_t k = 0; k < Vectors; ++k) {
        const Lanes<Real> v = load(vectors[k] + j + half);
#pragma GCC unroll 8
        for (std::size_t r = 0; r < Rows; ++r)
          sums[r][k] = fused<Real>(load(rows + r * down + j + half), v, sums[r][k]);
      }
    }
  }
#pragma GCC unroll 8
  for (std::size_t r = 0; r < Rows; ++r) {
#pragma GCC unroll 8
    for (std::size_t k = 0; k < Vectors; ++k) out[r][k] = sums[r][k];
  }
}

// The same and the rest of the rows; take(row, vector, product) for each.
template <std::size_t Rows, std::size_t Vectors, class Real, class Take>
void dot_rows(const Matrix<const Real>& m, std::size_t i, const Real* const* vectors, const Take& take) {
  const std::size_t registers = m.columns / kLanes<Real>, done = registers * kLanes<Real>;
  const Real* rows = m.data + i * m.row_step;
  const std::size_t ahead = i + 3 * Rows <= m.rows ? 2 * Rows * m.row_step : 0;
  Lanes<Real> sums[Rows][Vectors];
  dot_tile(rows, m.row_step, vectors, registers, ahead, sums);
  for (std::size_t k = 0; k < Vectors; ++k) {
    if (done == m.columns) break;
    const Lanes<Real> v = load_rest(vectors[k] + done, m.columns - done);
    for (std::size_t r = 0; r < Rows; ++r) {
      sums[r][k] = fused<Real>(load_rest(rows + r * m.row_step + done, m.columns - done), v, sums[r][k]);
    }
  }
  for (std::size_t r = 0; r < Rows; ++r) {
    if constexpr (Vectors == 4 && kLanes<Real> == 8) {
      const FourSums<Real> products = tree_sums<Real>(sums[r][0], sums[r][1], sums[r][2], sums[r][3]);
      for (std::size_t k = 0; k < 4; ++k) take(i + r, k, products[k]);
    } else {
      for (std::size_t k = 0; k < Vectors; ++k) take(i + r, k, tree_sum<Real>(sums[r][k]));
    }
  }
}

template <std::size_t Vectors, class Real, class Take>
void dots_with(const Matrix<const Real>& m, const Real* const* vectors, const Take& take) {
  constexpr std::size_t kRows = Vectors > 2 ? 2 : 4;
  std::size_t i = 0;
  for (; i + kRows <= m.rows; i += kRows) dot_rows<kRows, Vectors>(m, i, vectors, take);
  for (; i < m.rows; ++i) dot_rows<1, Vectors>(m, i, vectors, take);
}

template <class Real>
void dots_of(const Matrix<const Real>& m, const Real* v, Real* out, Into into) {
  dots_with<1>(m, &v, [&](std::size_t i, std::size_t, Real product) {
    out[i] = into == Into::add ? out[i] + product : product;
  });
}

template <class Real>
void dots_of(const Matrix<const Real>& m, std::span<const Real* const> vectors, Real* out) {
  for (std::size_t k = 0; k < vectors.size(); k += 4) {
    auto take = [&](std::size_t i, std::size_t l, Real product) { out[(k + l) * m.rows + i] = product; };
    switch (vectors.size() - k) {
      case 1:
        dots_with<1>(m, &vectors[k], take);
        break;
      case 2:
        dots_with<2>(m, &vectors[k], take);
        break;
      case 3:
        dots_with<3>(m, &vectors[k], take);
        break;
      default:
        dots_with<4>(m, &vectors[k], take);
    }
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
void dots(Matrix<const float> m, std::span<const float* const> vectors, float* out) {
  dots_of(m, vectors, out);
}
void dots(Matrix<const double> m, std::span<const double* const> vectors, double* out) {
  dots_of(m, vectors, out);
}

void combine_rows(const float* factors, std::size_t step, Matrix<const float> m, float* out, Into into) {
  combine(factors, step, m, out, into);
}
void combine_rows(const double* factors, std::size_t step, Matrix<const double> m, double* out, Into into) {
  combine(factors, step, m, out, into);
}

}  // namespace coterie
