#include <gtest/gtest.h>

#include "support/on_a_line.h"

namespace coterie::threshold_test {
namespace {

// From the median 2, distances are 0, 1, 2, 3, 98: rank 2 is 2, and 1.98 holds 1 and 2 only. It ends at their
// mean 1.5, where the third distance is that of 0 and 0.99 * 1.5 holds 1 and 2 again.
TEST(ThresholdRule, IsTheMeanOfTheNearHalf) {
  EXPECT_NEAR(on_a_line("threshold", "", {0, 1, 2, 5, 100}), 1.5, 1e-15);
  EXPECT_NEAR(on_a_line("threshold", "steps = 1", {0, 1, 2, 5, 100}), (1 + 2 + 3 * 2) / 5.0, 1e-15);
}

TEST(ThresholdRule, MayHaveAFixedRadius) {
  const std::string fixed = "rule = \"fixed\"\nradius = 4.0\n";
  EXPECT_NEAR(on_a_line("threshold", fixed, {0, 1, 2, 5, 100}), 2, 1e-15);
  EXPECT_NEAR(on_a_line("threshold", fixed, {0, 1, 2, 5, 100}, {3, 1, 1, 1, 1}), (0 + 1 + 2 + 5) / 6.0,
              1e-15);
  EXPECT_NEAR(on_a_line("threshold", fixed, {1, 2}), 1.5, 1e-15);
}

TEST(ThresholdRule, HoldsAgainstNearlyHalf) {
  const double found = on_a_line("threshold", "", {1e6, 1, 1e6, 2, 3});
  EXPECT_GE(found, 1);
  EXPECT_LE(found, 3);
}

}  // namespace
}  // namespace coterie::threshold_test
