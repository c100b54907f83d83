#include "math/singular.h"

#include <gtest/gtest.h>

#include <cmath>

#include "math/kernels.h"

namespace coterie::singular_test {
namespace {

Stream stream(std::uint32_t number) { return Stream(5, {Purpose::test, number, 0, 0}); }

// diag(1, -3, 2): the left vectors of 3 and 2 are e2 and e3, up to sign.
TEST(Singular, TopLeftVectorsOfADiagonal) {
  const Vec a = {1, 0, 0, 0, -3, 0, 0, 0, 2};
  const Vec top = top_left_vectors(Matrix<const double>(a.data(), 3, 3), 2);
  EXPECT_NEAR(std::fabs(top[1]), 1, 1e-14);
  EXPECT_NEAR(std::fabs(top[5]), 1, 1e-14);
  EXPECT_NEAR(top[0], 0, 1e-14);
}

// A = 5 u v' + w x' with u = x = (0.6, 0.8), v = (0.8, -0.6), w = (-0.8, 0.6): the left vector is u, not v,
// and u' A u = 5 (u.v) + (u.w)(x.u) = 0.
TEST(Singular, PowerIterationFindsTheLeftVector) {
  const double u[2] = {0.6, 0.8}, v[2] = {0.8, -0.6}, w[2] = {-0.8, 0.6}, x[2] = {0.6, 0.8};
  Vec a(4);
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 2; ++j) a[i * 2 + j] = 5 * u[i] * v[j] + w[i] * x[j];
  }
  Stream s = stream(1);
  const Leading found = leading_vector(Matrix<const double>(a.data(), 2, 2), 60, s);
  EXPECT_NEAR(std::fabs(found.vector[0] * 0.6 + found.vector[1] * 0.8), 1, 1e-12);
  EXPECT_NEAR(found.square, 0, 1e-12);
}

// [[2, 1], [1, 2]]: 3 with (1, 1) / sqrt 2.
TEST(Singular, PowerIterationOfASymmetricMatrix) {
  const Vec a = {2, 1, 1, 2};
  Stream s = stream(2);
  const Leading found = leading_vector(Matrix<const double>(a.data(), 2, 2), 100, s);
  EXPECT_NEAR(found.square, 3, 1e-12);
  EXPECT_NEAR(found.vector[0], found.vector[1], 1e-12);
}

TEST(Singular, PowerIterationOfNothingIsZero) {
  const Vec a(4, 0.0);
  Stream s = stream(3);
  const Leading found = leading_vector(Matrix<const double>(a.data(), 2, 2), 10, s);
  EXPECT_EQ(found.square, 0);
  EXPECT_EQ(found.vector, Vec(2, 0.0));
}

TEST(Singular, ExtremeEigenvaluesAreExactAfterAsManyProductsAsDimensions) {
  const Vec values = {0.5, 1, 3, -2, 4, 4};
  auto product = [&](const Vec& v) {
    Vec out = v;
    for (std::size_t i = 0; i < v.size(); ++i) out[i] *= values[i];
    return out;
  };
  Stream s = stream(4);
  const Extremes found = extreme_eigenvalues(product, 6, 6, s);
  EXPECT_NEAR(found.least, -2, 1e-10);
  EXPECT_NEAR(found.largest, 4, 1e-10);
}

TEST(Singular, ExtremeEigenvaluesOfAMultipleOfTheIdentityNeedOneProduct) {
  std::size_t products = 0;
  Stream s = stream(5);
  const Extremes found = extreme_eigenvalues(
      [&](const Vec& v) {
        ++products;
        Vec out = v;
        scale(2.5, out);
        return out;
      },
      50, 12, s);
  EXPECT_NEAR(found.least, 2.5, 1e-12);
  EXPECT_NEAR(found.largest, 2.5, 1e-12);
  EXPECT_EQ(products, 1u);
}

}  // namespace
}  // namespace coterie::singular_test
