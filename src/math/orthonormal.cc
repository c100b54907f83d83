#include "math/orthonormal.h"

#include <Eigen/Core>

namespace coterie {

// Twice, so that rows are orthogonal to rounding. A row that depends on those above must leave no direction
// behind for the rows below it, so a QR decomposition, which completes its basis, would not do.
void orthonormalise(Vec& basis, std::size_t width, double dependent) {
  const auto side = static_cast<Eigen::Index>(width);
  const auto count = static_cast<Eigen::Index>(basis.size() / width);
  // Rows are columns to Eigen. In a copy, which is aligned, the order of sums does not depend on an address.
  Eigen::Map<Eigen::MatrixXd> given(basis.data(), side, count);
  Eigen::MatrixXd rows = given;
  for (Eigen::Index i = 0; i < count; ++i) {
    auto row = rows.col(i);
    const auto above = rows.leftCols(i);
    const double before = row.norm();
    for (int pass = 0; pass < 2; ++pass) {
      const Eigen::VectorXd along = above.transpose() * row;
      row.noalias() -= above * along;
    }
    const double length = row.norm();
    if (length > dependent * before && length > 0) {
      row /= length;
    } else {
      row.setZero();
    }
  }
  given = rows;
}

}  // namespace coterie
