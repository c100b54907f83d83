#include <gtest/gtest.h>

#include "coterie/random.h"
#include "inits/fedmd/pair_moments.h"

namespace coterie::pair_moments_test {
namespace {

Matrix<const double> rows_of(const Vec& values, std::size_t width) {
  return {values.data(), values.size() / width, width};
}

void expect_near(const Vec& got, const Vec& expected, double error = 1e-14) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], error) << i;
}

// Samples (1, 2) and (3, -1): the printed Y is their outer product [[3, -1], [6, -2]]; of both orders, the
// mean with its transpose.
TEST(PairMoments, OfTwoSamplesByHand) {
  const Vec f = {1, 2, 3, -1};
  const auto rows = rows_of(f, 2);
  expect_near(PairMoment(rows, rows, Pairs::first).dense(), {3, -1, 6, -2});
  expect_near(PairMoment(rows, rows, Pairs::halves).dense(), {3, -1, 6, -2});
  expect_near(PairMoment(rows, rows, Pairs::all).dense(), {3, 2.5, 2.5, -2});
}

// Y (1, 1) = (2, 4), Y' (1, 1) = (9, -3), Y (0, 1) = (-1, -2).
TEST(PairMoments, MultipliesByYAndByItsTranspose) {
  const Vec f = {1, 2, 3, -1}, q = {1, 1, 0, 1};
  const auto rows = rows_of(f, 2);
  const PairMoment printed(rows, rows, Pairs::first);
  expect_near(printed.times(rows_of(q, 2), false), {2, 4, -1, -2});
  expect_near(printed.times(rows_of(q, 2), true), {9, -3, 6, -2});
}

// (2): halves (1, 0), (0, 1) and (2, 2), (1, 3): (e1 (2, 2)' + e2 (1, 3)') / 2. The fifth sample has no
// partner.
TEST(PairMoments, HalvesPairTheFirstSampleWithTheFirstOfTheSecondHalf) {
  const Vec f = {1, 0, 0, 1, 2, 2, 1, 3, 9, 9};
  const auto rows = rows_of(f, 2);
  expect_near(PairMoment(rows, rows, Pairs::halves).dense(), {1, 1, 0.5, 1.5});
}

// Against the double sum over pairs, with two readings of each sample.
TEST(PairMoments, AllPairsAreTheDoubleSum) {
  const std::size_t n = 7, d = 5;
  Stream stream(2, {Purpose::test, 0, 0, 0});
  Vec a(n * d), b(n * d), q(3 * d);
  stream.normals(a);
  stream.normals(b);
  stream.normals(q);
  Vec y(d * d, 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t l = 0; l < n; ++l) {
      for (std::size_t r = 0; r < d && j != l; ++r) {
        for (std::size_t c = 0; c < d; ++c) y[r * d + c] += a[j * d + r] * b[l * d + c] / (n * (n - 1));
      }
    }
  }
  const PairMoment moment(rows_of(a, d), rows_of(b, d), Pairs::all);
  expect_near(moment.dense(), y, 1e-13);
  for (const bool transposed : {false, true}) {
    Vec product(3 * d, 0.0);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t r = 0; r < d; ++r) {
        for (std::size_t c = 0; c < d; ++c) {
          product[i * d + r] += (transposed ? y[c * d + r] : y[r * d + c]) * q[i * d + c];
        }
      }
    }
    expect_near(moment.times(rows_of(q, d), transposed), product, 1e-13);
  }
}

}  // namespace
}  // namespace coterie::pair_moments_test
