#include <gtest/gtest.h>

#include <cmath>

#include "support/on_a_line.h"

namespace coterie::geometric_median_test {
namespace {

// Fermat's point; and where the weight of a corner is at least the pull of the others, that corner: the unit
// vectors from (0, 0) to the other two add up to sqrt(2).
TEST(GeometricMedianRule, HasTheLeastSumOfDistances) {
  auto rule = make_plugin<Aggregator>("geometric-median");
  std::vector<Contribution> all = {{0, 1, {0, 0}}, {1, 1, {1, 0}}, {2, 1, {0, 1}}};
  const double expected = (1 - 1 / std::sqrt(3.0)) / 2;
  EXPECT_NEAR(rule->combine(all)[0], expected, 1e-7);
  EXPECT_NEAR(rule->combine(all)[1], expected, 1e-7);
  all[0].weight = 1.42;
  EXPECT_EQ(rule->combine(all), (Vec{0, 0}));
  all[0].weight = 1.40;
  EXPECT_GT(rule->combine(all)[0], 1e-4);
}

TEST(GeometricMedianRule, StopsWhenTold) {
  const std::vector<Contribution> all = {{0, 1, {0, 0}}, {1, 1, {1, 0}}, {2, 1, {0, 1}}};
  // From the coordinate median (0, 0), whose distances are at least nu, the median distance 1: the mean.
  const Vec once =
      make_plugin<Aggregator>("geometric-median", "iterations = 1\nsmoothing = 1.0")->combine(all);
  EXPECT_NEAR(once[0], 1.0 / 3, 1e-15);
  EXPECT_NEAR(once[1], 1.0 / 3, 1e-15);
}

}  // namespace
}  // namespace coterie::geometric_median_test
