#include "math/singular.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "math/kernels.h"

namespace coterie {
namespace {

// Into Eigen's own, aligned memory: what it sums does not depend on the caller's.
Eigen::MatrixXd copy_of(Matrix<const double> a) {
  Eigen::MatrixXd out(static_cast<Eigen::Index>(a.rows), static_cast<Eigen::Index>(a.columns));
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t j = 0; j < a.columns; ++j) {
      out(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
          a.data[i * a.row_step + j * a.column_step];
    }
  }
  return out;
}

// False when there is no direction to speak of.
bool make_unit(Vec& v) {
  const double length = std::sqrt(squared_norm(std::span<const double>(v)));
  if (!(length > 0) || !std::isfinite(length)) return false;
  scale(1 / length, v);
  return true;
}

}  // namespace

Vec top_left_vectors(Matrix<const double> a, std::size_t k) {
  const Eigen::MatrixXd matrix = copy_of(a);
  const Eigen::BDCSVD<Eigen::MatrixXd> svd(matrix, Eigen::ComputeThinU);
  Vec out(k * a.rows);
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t j = 0; j < a.rows; ++j) {
      out[i * a.rows + j] = svd.matrixU()(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(i));
    }
  }
  return out;
}

Leading leading_vector(Matrix<const double> a, std::size_t steps, Stream& stream) {
  const std::size_t n = a.rows;
  Vec v(n), half(n);
  stream.normals(v);
  const Matrix<const double> column(v.data(), n, 1);
  bool some = make_unit(v);
  for (std::size_t t = 0; t < steps && some; ++t) {
    multiply(a.transposed(), column, Matrix<double>(half.data(), n, 1));
    some = make_unit(half);
    multiply(a, Matrix<const double>(half.data(), n, 1), Matrix<double>(v.data(), n, 1));
    some = make_unit(v) && some;
  }
  if (!some) return {Vec(n, 0.0), 0};
  multiply(a, column, Matrix<double>(half.data(), n, 1));
  return {v, dot(std::span<const double>(v), half)};
}

Extremes extreme_eigenvalues(const std::function<Vec(const Vec&)>& product, std::size_t size,
                             std::size_t steps, Stream& stream) {
  std::vector<Vec> basis(1, Vec(size));
  stream.normals(basis[0]);
  make_unit(basis[0]);
  Vec diagonal, beside;
  for (std::size_t t = 0; t < std::min(steps, size); ++t) {
    Vec next = product(basis[t]);
    const double before = std::sqrt(squared_norm(std::span<const double>(next)));
    diagonal.push_back(dot(std::span<const double>(next), basis[t]));
    for (int pass = 0; pass < 2; ++pass) {
      for (const Vec& one : basis) add_scaled(-dot(std::span<const double>(next), one), one, next);
    }
    const double rest = std::sqrt(squared_norm(std::span<const double>(next)));
    if (!(rest > 1e-10 * before)) break;  // the space is invariant: what it has is exact
    beside.push_back(rest);
    make_unit(next);
    basis.push_back(std::move(next));
  }
  const auto count = static_cast<Eigen::Index>(diagonal.size());
  Eigen::MatrixXd small = Eigen::MatrixXd::Zero(count, count);
  for (Eigen::Index i = 0; i < count; ++i) {
    small(i, i) = diagonal[static_cast<std::size_t>(i)];
    if (i + 1 < count) small(i, i + 1) = small(i + 1, i) = beside[static_cast<std::size_t>(i)];
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(small, Eigen::EigenvaluesOnly);
  return {eigen.eigenvalues()[0], eigen.eigenvalues()[count - 1]};
}

}  // namespace coterie
