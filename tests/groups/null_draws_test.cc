#include "groups/null_draws.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace coterie::null_draws_test {
namespace {

TEST(NullDraws, HaveMeanAndSpreadOfTheMixture) {
  const ModeratedEstimates from{{{{{0}, {0.5}, {}, 20}, {{0}, {2}, {}, 20}}, 1},
                                std::numeric_limits<double>::infinity()};
  const NullDraws null(from, {{0.25, 0.75}, {4, 0}, {1}}, false);
  Stream stream(7, {.purpose = Purpose::test});
  double mean = 0, square = 0;
  for (int r = 0; r < 8000; ++r) {
    const Estimates drawn = null.draw(stream);
    EXPECT_EQ(drawn.of[1].v, Vec{2});
    mean += drawn.of[1].b[0] / 8000;
    square += drawn.of[1].b[0] * drawn.of[1].b[0] / 8000;
  }
  EXPECT_NEAR(mean, 1, 0.1);
  // T + V + variance of the means: 1 + 2 + 16 * .25 * .75
  EXPECT_NEAR(square - mean * mean, 6, 0.35);
}

TEST(NullDraws, HaveHeavyTailsWhereNoiseIsHardlyKnown) {
  // d0 + d = 2 + 5 degrees of freedom: a t distribution of 7, whose fourth moment is 3 + 6 / (7 - 4) = 5.
  const ModeratedEstimates from{{{{{0}, {1}, {}, 6}, {{0}, {1}, {}, 6}}, 1}, 2};
  const NullDraws null(from, {{1}, {0}, {}}, true);
  Stream stream(8, {.purpose = Purpose::test});
  double second = 0, fourth = 0;
  for (int r = 0; r < 20000; ++r) {
    const double b = null.draw(stream).of[0].b[0];
    second += b * b / 20000;
    fourth += b * b * b * b / 20000;
  }
  EXPECT_NEAR(second, 7.0 / 5, 0.08);
  EXPECT_GT(fourth / (second * second), 3.8);
}

}  // namespace
}  // namespace coterie::null_draws_test
