#include "math/operator_norm.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "coterie/data.h"
#include "coterie/random.h"

namespace coterie::operator_norm_test {
namespace {

TEST(OperatorNorm, IsTheLengthOfAVector) {
  EXPECT_DOUBLE_EQ(operator_norm_bound(Vec{3, 4}, 1), 5);
  EXPECT_DOUBLE_EQ(operator_norm_bound(Vec{3, 4}, 2), 5);
}

TEST(OperatorNorm, OfNothingOrZerosIsZero) {
  EXPECT_EQ(operator_norm_bound(Vec{}, 3), 0);
  EXPECT_EQ(operator_norm_bound(Vec(6, 0.0), 3), 0);
}

TEST(OperatorNorm, OfADiagonalIsItsLargestEntry) {
  // diag(1, 2, 3): the bound is (1 + 2^64 + 3^64)^(1/64), next to nothing above 3.
  const double bound = operator_norm_bound(Vec{1, 0, 0, 0, 2, 0, 0, 0, 3}, 3);
  EXPECT_GE(bound, 3);
  EXPECT_LE(bound, 3.001);
}

TEST(OperatorNorm, IsNeverBelowTheLargestSingularValueAndAtMostATenthAbove) {
  Stream stream(1, {Purpose::test});
  for (const auto& [rows, columns] : {std::pair(5, 3), {3, 5}, {40, 10}, {200, 60}, {60, 200}}) {
    for (const double scale : {1e-8, 1.0, 1e6}) {
      Vec values(static_cast<std::size_t>(rows * columns));
      for (double& value : values) value = scale * stream.normal();
      using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
      const Eigen::Map<const Rows> m(values.data(), rows, columns);
      const double largest = Eigen::JacobiSVD<Eigen::MatrixXd>(m).singularValues()(0);
      const double bound = operator_norm_bound(values, static_cast<std::size_t>(columns));
      EXPECT_GE(bound, largest) << rows << " x " << columns;
      EXPECT_LE(bound, 1.1 * largest) << rows << " x " << columns;
    }
  }
}

}  // namespace
}  // namespace coterie::operator_norm_test
