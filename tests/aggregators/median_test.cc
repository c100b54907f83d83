#include <gtest/gtest.h>

#include "support/on_a_line.h"

namespace coterie::median_test {
namespace {

TEST(Median, IsThatOfEachCoordinateByWeight) {
  auto median = make_plugin<Aggregator>("median");
  const std::vector<Contribution> all = {{0, 1, {1, 50}}, {1, 1, {2, 10}}, {2, 3, {3, 30}}};
  EXPECT_EQ(median->combine(all), (Vec{3, 30}));
  EXPECT_EQ(on_a_line("median", "", {5, 1, 2, 100}), 3.5);
  EXPECT_EQ(on_a_line("median", "", {5, 1}, {1, 2}), 1);
}

// Two liars of five.
TEST(Median, HoldsAgainstNearlyHalf) {
  EXPECT_EQ(on_a_line("median", "", {1e6, 1, 1e6, 2, 3}), 3);
  EXPECT_EQ(on_a_line("median", "", {-1e6, 1, 1e6, 2, 3}), 2);
}

}  // namespace
}  // namespace coterie::median_test
