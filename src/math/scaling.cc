#include "math/scaling.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace coterie {
namespace {

using Eigen::Index;

Eigen::MatrixXd matrix_of(Matrix<const double> a) {
  Eigen::MatrixXd out(static_cast<Index>(a.rows), static_cast<Index>(a.columns));
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t j = 0; j < a.columns; ++j)
      out(static_cast<Index>(i), static_cast<Index>(j)) = a.data[i * a.row_step + j * a.column_step];
  }
  return out;
}

// An eigenvector may point either way: let its largest coordinate be positive, so that pictures repeat.
void point_up(Eigen::VectorXd& axis) {
  Index largest = 0;
  axis.cwiseAbs().maxCoeff(&largest);
  if (axis.size() > 0 && axis(largest) < 0) axis = -axis;
}

}  // namespace

Vec classical_scaling(Matrix<const double> squared_distances) {
  const Index count = static_cast<Index>(squared_distances.rows);
  Vec out(2 * squared_distances.rows, 0.0);
  if (count == 0) return out;
  const Eigen::MatrixXd d = matrix_of(squared_distances);
  const Eigen::VectorXd means = d.rowwise().mean();
  const Eigen::MatrixXd products =
      -0.5 * ((d.colwise() - means).rowwise() - (means.transpose().array() - means.mean()).matrix());
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(products);
  for (Index k = 0; k < std::min<Index>(2, count); ++k) {
    const Index place = count - 1 - k;  // eigenvalues ascend
    Eigen::VectorXd axis = solver.eigenvectors().col(place);
    point_up(axis);
    const double length = std::sqrt(std::max(0.0, solver.eigenvalues()(place)));
    for (Index i = 0; i < count; ++i) out[static_cast<std::size_t>(2 * i + k)] = length * axis(i);
  }
  return out;
}

Vec main_axes(Matrix<const double> rows) {
  Vec out(2 * rows.rows, 0.0);
  if (rows.rows == 0 || rows.columns == 0) return out;
  Eigen::MatrixXd points = matrix_of(rows);
  points.rowwise() -= points.colwise().mean().eval();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(points.transpose() * points);
  for (Index k = 0; k < std::min<Index>(2, points.cols()); ++k) {
    Eigen::VectorXd axis = solver.eigenvectors().col(points.cols() - 1 - k);
    point_up(axis);
    const Eigen::VectorXd places = points * axis;
    for (Index i = 0; i < points.rows(); ++i) out[static_cast<std::size_t>(2 * i + k)] = places(i);
  }
  return out;
}

}  // namespace coterie
