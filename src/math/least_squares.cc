#include "math/least_squares.h"

#include <Eigen/Dense>
#include <cmath>

namespace coterie {
namespace {

// Everything below is a copy in Eigen's own, aligned memory: what it sums does not depend on the caller's.
Eigen::VectorXd shortest(const Eigen::MatrixXd& x, const Eigen::VectorXd& y) {
  return Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(x).solve(y);
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
  auto rows = static_cast<Eigen::Index>(x.rows);
  auto columns = static_cast<Eigen::Index>(x.columns);
  Eigen::MatrixXd matrix(rows, columns);
  Eigen::VectorXd target(rows);
  for (std::size_t i = 0; i < x.rows; ++i) {
    target[static_cast<Eigen::Index>(i)] = y[i];
    for (std::size_t j = 0; j < x.columns; ++j) {
      matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
          x.data[i * x.row_step + j * x.column_step];
    }
  }
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

}  // namespace coterie
