#include "inits/fedmd/pair_moments.h"

#include <algorithm>

#include "coterie/error.h"

namespace coterie {

PairMoment::PairMoment(Matrix<const double> a, Matrix<const double> b, Pairs pairs)
    : a_(a), b_(b), pairs_(pairs) {
  check(a.rows >= 2 && a.rows == b.rows && a.columns == b.columns, "a pair needs two rows");
}

Vec PairMoment::partners(const Vec& c, std::size_t k, bool transposed) const {
  const std::size_t n = a_.rows;
  Vec out(n * k, 0.0);
  if (pairs_ == Pairs::all) {
    const double weight = 1 / (static_cast<double>(n) * static_cast<double>(n - 1));
    Vec sums(k, 0.0);
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = 0; i < k; ++i) sums[i] += c[j * k + i];
    }
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = 0; i < k; ++i) out[j * k + i] = weight * (sums[i] - c[j * k + i]);
    }
    return out;
  }
  const std::size_t couples = pairs_ == Pairs::first ? 1 : n / 2;
  for (std::size_t j = 0; j < couples; ++j) {
    const std::size_t to = transposed ? couples + j : j;
    const std::size_t from = transposed ? j : couples + j;
    for (std::size_t i = 0; i < k; ++i) out[to * k + i] = c[from * k + i] / static_cast<double>(couples);
  }
  return out;
}

Vec PairMoment::times(Matrix<const double> rows, bool transposed) const {
  const Matrix<const double>& left = transposed ? b_ : a_;
  const Matrix<const double>& right = transposed ? a_ : b_;
  const std::size_t n = a_.rows, k = rows.rows;
  Vec projected(n * k);
  multiply(right, rows.transposed(), Matrix<double>(projected.data(), n, k));
  const Vec weights = partners(projected, k, transposed);
  Vec out(k * left.columns);
  multiply(Matrix<const double>(weights.data(), n, k).transposed(), left,
           Matrix<double>(out.data(), k, left.columns));
  return out;
}

Vec PairMoment::dense() const {
  const std::size_t n = a_.rows, d = a_.columns;
  Vec b(n * d);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < d; ++i) b[j * d + i] = b_.data[j * b_.row_step + i * b_.column_step];
  }
  const Vec weighted = partners(b, d, false);
  Vec out(d * d);
  multiply(a_.transposed(), Matrix<const double>(weighted.data(), n, d), Matrix<double>(out.data(), d, d));
  return out;
}

}  // namespace coterie
