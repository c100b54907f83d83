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

// The third column is the sum of the others, rounded to single precision; the fourth is a constant around its
// mean, of which rounding is left. Taken at face value they get weights of millions.
TEST(LeastSquares, ColumnsThatDependButForRoundingAreDependent) {
  Stream stream(5, {Purpose::test, 0, 0, 0});
  constexpr std::size_t kRows = 19;
  Vec noise(3 * kRows), x, y;
  stream.normals(noise);
  for (std::size_t i = 0; i < kRows; ++i) {
    const double a = noise[3 * i], b = noise[3 * i + 1];
    x.insert(x.end(), {a, b, static_cast<float>((a + b) / 1.4256), 1e-16 * noise[3 * i + 2]});
    y.push_back(2 * a - b + 0.3 * noise[3 * i + 2]);
  }
  const Matrix<const double> matrix(x.data(), kRows, 4);
  double plain = 0, largest = 0;
  for (double w : least_squares(matrix, y)) plain = std::max(plain, std::fabs(w));
  for (double w : least_squares_rounded(matrix, y, Vec(4, 3e-7))) largest = std::max(largest, std::fabs(w));
  EXPECT_GT(plain, 1e4);
  EXPECT_LT(largest, 3);
  // Units do not matter: a column of millionths, known as well as the others, keeps its weight.
  const Vec small = {1e-6, 1, 2e-6, -1, -1e-6, 2, 3e-6, 1};
  const Vec found =
      least_squares_rounded(Matrix<const double>(small.data(), 4, 2), Vec{3, 0, 1, 7}, Vec{3e-13, 3e-7});
  EXPECT_EQ(found, least_squares(Matrix<const double>(small.data(), 4, 2), Vec{3, 0, 1, 7}));
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
