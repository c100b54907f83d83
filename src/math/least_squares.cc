#include "math/least_squares.h"

#include <Eigen/Dense>
#include <cmath>

namespace coterie {
namespace {

using Orthogonal = Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>;

// Everything below is a copy in Eigen's own, aligned memory: what it sums does not depend on the caller's.
Eigen::VectorXd shortest(const Eigen::MatrixXd& x, const Eigen::VectorXd& y) {
  return Orthogonal(x).solve(y);
}

Eigen::MatrixXd copied(Matrix<const double> x) {
  Eigen::MatrixXd matrix(static_cast<Eigen::Index>(x.rows), static_cast<Eigen::Index>(x.columns));
  for (std::size_t i = 0; i < x.rows; ++i) {
    for (std::size_t j = 0; j < x.columns; ++j) {
      matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
          x.data[i * x.row_step + j * x.column_step];
    }
  }
  return matrix;
}

Eigen::VectorXd copied(std::span<const double> y) {
  return Eigen::Map<const Eigen::VectorXd, Eigen::Unaligned>(y.data(), static_cast<Eigen::Index>(y.size()));
}

// Ridge as more rows: sqrt(ridge) I against zeros.
Eigen::VectorXd ridged(const Eigen::MatrixXd& x, const Eigen::VectorXd& y, double ridge) {
  Eigen::MatrixXd rows(x.rows() + x.cols(), x.cols());
  rows << x, std::sqrt(ridge) * Eigen::MatrixXd::Identity(x.cols(), x.cols());
  Eigen::VectorXd targets = Eigen::VectorXd::Zero(rows.rows());
  targets.head(y.size()) = y;
  return shortest(rows, targets);
}

}  // namespace

Vec least_squares(Matrix<const double> x, std::span<const double> y, double ridge) {
  const Eigen::MatrixXd matrix = copied(x);
  const Eigen::VectorXd target = copied(y);
  const Eigen::Index rows = matrix.rows(), columns = matrix.cols();
  Eigen::VectorXd w;
  if (ridge == 0) {
    w = shortest(matrix, target);
  } else if (rows >= columns) {
    w = ridged(matrix, target, ridge);
  } else {
    // X' = Q R: the solution is Q u for the small problem |R' u - y|^2 + ridge |u|^2.
    Eigen::HouseholderQR<Eigen::MatrixXd> qr(matrix.transpose());
    Eigen::MatrixXd r = qr.matrixQR().topRows(rows).triangularView<Eigen::Upper>();
    Eigen::VectorXd u = Eigen::VectorXd::Zero(columns);
    u.head(rows) = ridged(r.transpose(), target, ridge);
    w = qr.householderQ() * u;
  }
  return Vec(w.data(), w.data() + w.size());
}

Vec least_squares_rounded(Matrix<const double> x, std::span<const double> y,
                          std::span<const double> rounding) {
  const Eigen::MatrixXd matrix = copied(x);
  const Eigen::VectorXd target = copied(y);
  const Orthogonal plain(matrix);
  Eigen::VectorXd w = plain.solve(target);
  // In units of rounding every column has an error of at most 1 in each row, and a combination of length 1
  // one of at most sqrt(rows columns).
  Eigen::VectorXd units(matrix.cols());
  for (Eigen::Index j = 0; j < units.size(); ++j) {
    const double one = rounding[static_cast<std::size_t>(j)];
    units[j] = one > 0 ? 1 / one : 0;
  }
  const Eigen::MatrixXd scaled = matrix * units.asDiagonal();
  const double longest = scaled.size() == 0 ? 0 : scaled.colwise().norm().maxCoeff();
  if (longest > 0) {
    Orthogonal coarse;
    coarse.setThreshold(std::sqrt(static_cast<double>(scaled.size())) / longest);
    coarse.compute(scaled);
    if (coarse.rank() < plain.rank()) w = units.asDiagonal() * coarse.solve(target);
  }
  return Vec(w.data(), w.data() + w.size());
}

}  // namespace coterie
