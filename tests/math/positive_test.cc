#include "math/positive.h"

#include <gtest/gtest.h>

#include <limits>

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

TEST(Positive, RefusesWhatIsNotPositiveDefinite) {
  Vec a = {1, 2, 2, 1}, b = {1, 1};
  EXPECT_FALSE(solve_positive(a, b));
  Vec none = {std::numeric_limits<double>::quiet_NaN()}, one = {1};
  EXPECT_FALSE(solve_positive(none, one));
}

}  // namespace
}  // namespace coterie::positive_test
