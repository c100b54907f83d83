#include "data/covariance.h"

#include <gtest/gtest.h>

#include <cmath>

#include "coterie/error.h"

namespace coterie::covariance_test {
namespace {

Vec times_transpose(const Vec& factor, std::size_t n) {
  Vec product(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < n; ++k) product[i * n + j] += factor[i * n + k] * factor[j * n + k];
    }
  }
  return product;
}

TEST(Cholesky, FactorsAKnownMatrix) {
  // Worked by hand: L = [[2,0,0],[6,1,0],[-8,5,3]].
  const Vec matrix = {4, 12, -16, 12, 37, -43, -16, -43, 98};
  auto factor = cholesky(matrix, 3);
  ASSERT_TRUE(factor);
  const Vec expected = {2, 0, 0, 6, 1, 0, -8, 5, 3};
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR((*factor)[i], expected[i], 1e-12);
}

TEST(Cholesky, TakesMatricesWithoutFullRank) {
  const Vec ones = {1, 1, 1, 1};
  auto factor = cholesky(ones, 2);
  ASSERT_TRUE(factor);
  EXPECT_EQ(times_transpose(*factor, 2), ones);
  EXPECT_TRUE(cholesky(Vec(9), 3));
  // The outer product of (1, 2, 3) with rounding in it, and a zero in front.
  const Vec outer = {0, 0, 0, 0, 0.01, 0.02, 0, 0.02, 0.04};
  factor = cholesky(outer, 3);
  ASSERT_TRUE(factor);
  const Vec product = times_transpose(*factor, 3);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(product[i], outer[i], 1e-14);
}

TEST(Cholesky, RefusesWhatIsNoCovariance) {
  EXPECT_FALSE(cholesky(Vec{1, 2, 2, 1}, 2));
  EXPECT_FALSE(cholesky(Vec{1, 0.5, 0, 1}, 2));  // not symmetric
  EXPECT_FALSE(cholesky(Vec{0, 1, 1, 0}, 2));    // covariance without variance
  EXPECT_FALSE(cholesky(Vec{-1}, 1));
}

TEST(AbsoluteEigenvalues, TurnsTheThirdCovarianceOfOdclIntoTheSecond) {
  // [[1,2],[2,1]] has the eigenvalues 3 and -1; with 3 and 1 it is [[2,1],[1,2]].
  const Vec repaired = with_absolute_eigenvalues(Vec{1, 2, 2, 1}, 2);
  const Vec expected = {2, 1, 1, 2};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(repaired[i], expected[i], 1e-14);
}

TEST(AbsoluteEigenvalues, LeavesCovariancesAlone) {
  const Vec matrix = {4, 12, -16, 12, 37, -43, -16, -43, 98};
  const Vec same = with_absolute_eigenvalues(matrix, 3);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(same[i], matrix[i], 1e-12);
}

TEST(AbsoluteEigenvalues, SquareIsTheSquareOfTheMatrix) {
  // |A| |A| = A A for symmetric A, whatever its eigenvalues.
  const std::size_t n = 6;
  Vec a(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) a[i * n + j] = a[j * n + i] = std::sin(1.0 + 3 * i + 7 * j);
  }
  const Vec b = with_absolute_eigenvalues(a, n);
  EXPECT_TRUE(cholesky(b, n));
  EXPECT_FALSE(cholesky(a, n));
  const Vec squared = times_transpose(a, n), again = times_transpose(b, n);
  for (std::size_t i = 0; i < n * n; ++i) EXPECT_NEAR(again[i], squared[i], 1e-13);
}

}  // namespace
}  // namespace coterie::covariance_test
