#include "math/least_squares.h"

#include <gtest/gtest.h>

#include <cmath>

#include "coterie/random.h"

namespace coterie::least_squares_test {
namespace {

void expect_near(const Vec& found, const Vec& wanted, double tolerance = 1e-13) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t j = 0; j < wanted.size(); ++j) EXPECT_NEAR(found[j], wanted[j], tolerance) << j;
}

Vec solve(const Vec& x, std::size_t columns, const Vec& y, double ridge = 0) {
  return least_squares(Matrix<const double>(x.data(), y.size(), columns), y, ridge);
}

TEST(LeastSquares, OneColumn) {
  expect_near(solve({1, 2, 3}, 1, {1, 2, 2}), {11.0 / 14});
  expect_near(solve({1, 2, 3}, 1, {1, 2, 2}, 8), {11.0 / 22});
}

TEST(LeastSquares, OfManySolutionsTheShortest) {
  expect_near(solve({1, 2}, 2, {5}), {1, 2});
  // Equal columns share their weight.
  expect_near(solve({1, 1, 2, 2, 3, 3}, 2, {2, 4, 6}), {1, 1});
}

TEST(LeastSquares, RidgeWithFewerRowsThanColumns) { expect_near(solve({1, 2}, 2, {5}, 5), {0.5, 1}); }

TEST(LeastSquares, NothingToFitIsZero) { expect_near(solve({0, 0, 0, 0}, 2, {3, 4}), {0, 0}); }

// X'(Xw - y) + ridge w = 0, for tall and wide matrices; without ridge, w is a combination of the rows.
TEST(LeastSquares, FulfilsTheNormalEquations) {
  Stream stream(3, {Purpose::test, 0, 0, 0});
  for (auto [rows, columns] : {std::pair<std::size_t, std::size_t>{40, 6}, {6, 40}}) {
    for (double ridge : {0.0, 0.3}) {
      Vec x(rows * columns);
      Vec y(rows);
      stream.normals(x);
      stream.normals(y);
      Vec w = solve(x, columns, y, ridge);
      Vec residual(rows);
      for (std::size_t i = 0; i < rows; ++i) {
        residual[i] = -y[i];
        for (std::size_t j = 0; j < columns; ++j) residual[i] += x[i * columns + j] * w[j];
      }
      for (std::size_t j = 0; j < columns; ++j) {
        double slope = ridge * w[j];
        for (std::size_t i = 0; i < rows; ++i) slope += x[i * columns + j] * residual[i];
        EXPECT_NEAR(slope, 0, 1e-12) << rows << " " << ridge;
      }
    }
  }
}

TEST(LeastSquares, SameBitsWhateverTheAddress) {
  Stream stream(4, {Purpose::test, 0, 0, 0});
  Vec x(31 * 7 + 1);
  Vec y(31);
  stream.normals(x);
  stream.normals(y);
  Vec moved(x.begin() + 1, x.end());
  for (double ridge : {0.0, 0.1}) {
    EXPECT_EQ(least_squares(Matrix<const double>(x.data() + 1, 31, 7), y, ridge), solve(moved, 7, y, ridge));
  }
}

}  // namespace
}  // namespace coterie::least_squares_test
