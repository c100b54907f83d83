#include "math/positive.h"

#include <gtest/gtest.h>

#include <limits>

#include "coterie/data.h"
#include "coterie/random.h"

namespace coterie::positive_test {
namespace {

// [[4, 2], [2, 3]] (1, -1) = (2, -1).
TEST(Positive, SolvesByHand) {
  Vec a = {4, 2, 2, 3}, b = {2, -1};
  ASSERT_TRUE(solve_positive(a, b));
  EXPECT_NEAR(b[0], 1, 1e-15);
  EXPECT_NEAR(b[1], -1, 1e-15);
}

TEST(Positive, SolvesWhatItIsGivenBack) {
  const std::size_t n = 37;
  Stream stream(3, {Purpose::test, 0, 0, 0});
  Vec root(n * n), x(n);
  stream.normals(root);
  stream.normals(x);
  Vec a(n * n, 0.0), b(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < n; ++k) a[i * n + j] += root[i * n + k] * root[j * n + k];
      if (i == j) a[i * n + j] += 1;
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) b[i] += a[i * n + j] * x[j];
  }
  ASSERT_TRUE(solve_positive(a, b));
  for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(b[i], x[i], 1e-10);
}

// [[4, 2], [2, 5]] = L L' with L = [[2, 0], [1, 2]]; L (1, 3) = (2, 7). What is above the diagonal is not
// read.
TEST(Positive, HasTwoHalves) {
  const Vec a = {4, -99, 2, 5};
  const std::optional<PositiveFactor> factor = PositiveFactor::of(a, 2);
  ASSERT_TRUE(factor);
  EXPECT_EQ(factor->diagonal(0), 2);
  EXPECT_EQ(factor->diagonal(1), 2);
  Vec b = {2, 7};
  factor->solve_lower(b);
  EXPECT_NEAR(b[0], 1, 1e-15);
  EXPECT_NEAR(b[1], 3, 1e-15);
}

// The same numbers wherever they lie in memory.
TEST(Positive, GivesTheSameBitsAtAnyAddress) {
  const std::size_t n = 45;
  Stream stream(4, {Purpose::test, 0, 0, 0});
  Vec root(n * n), b(n), first;
  stream.normals(root);
  stream.normals(b);
  for (std::size_t shift = 0; shift < 4; ++shift) {
    Vec a(n * n + shift, 0.0), x(shift, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t k = 0; k < n; ++k) a[shift + i * n + j] += root[i * n + k] * root[j * n + k];
      }
    }
    x.insert(x.end(), b.begin(), b.end());
    ASSERT_TRUE(solve_positive(std::span(a).subspan(shift), std::span(x).subspan(shift)));
    x.erase(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(shift));
    if (shift == 0) first = x;
    EXPECT_EQ(x, first);
  }
}

TEST(Positive, RefusesWhatIsNotPositiveDefinite) {
  Vec a = {1, 2, 2, 1}, b = {1, 1};
  EXPECT_FALSE(solve_positive(a, b));
  Vec none = {std::numeric_limits<double>::quiet_NaN()}, one = {1};
  EXPECT_FALSE(solve_positive(none, one));
  const Vec below = {1, 0, std::numeric_limits<double>::infinity(), 1};
  EXPECT_FALSE(PositiveFactor::of(below, 2));
}

}  // namespace
}  // namespace coterie::positive_test
