#include <gtest/gtest.h>

#include "support/on_a_line.h"

namespace coterie::centered_clipping_test {
namespace {

// From the median 2: the pulls are -2, -1, 0, 1 and 98 cut to 2, so v = 2 + 0 / 5; with radius 1 likewise.
// Of 0, 1, 2, 6, 100 with radius 3: -2, -1, 0, 3, 3, so 2.6; then -2.6, -1.6, -0.6, 3, 3 give 2.84.
TEST(CenteredClipping, PullsNoHarderThanTheRadius) {
  EXPECT_NEAR(on_a_line("centered-clipping", "radius = 2.0\nsteps = 1", {0, 1, 2, 3, 100}), 2, 1e-15);
  EXPECT_NEAR(on_a_line("centered-clipping", "radius = 3.0\nsteps = 1", {0, 1, 2, 6, 100}), 2.6, 1e-15);
  EXPECT_NEAR(on_a_line("centered-clipping", "radius = 3.0\nsteps = 2", {0, 1, 2, 6, 100}), 2.84, 1e-14);
  EXPECT_NEAR(on_a_line("centered-clipping", "radius = 1e9", {0, 1, 2, 6, 100}), 109 / 5.0, 1e-13);
}

// Distances to 2 are 0, 1, 2, 4, 98: the radius is 2, and the pulls -2, -1, 0, 2, 2.
TEST(CenteredClipping, TakesTheMedianDistanceAsItsRadius) {
  EXPECT_NEAR(on_a_line("centered-clipping", "steps = 1", {0, 1, 2, 6, 100}), 2.2, 1e-15);
}

// Weights 1, 3, 1 on 0, 4, 10: the median is 4 and has more than half of the weight.
TEST(CenteredClipping, CountsByWeight) {
  EXPECT_EQ(on_a_line("centered-clipping", "", {0, 4, 10}, {1, 3, 1}), 4);
  EXPECT_NEAR(on_a_line("centered-clipping", "radius = 5.0\nsteps = 1", {0, 4, 10}, {1, 3, 1}),
              4 + (-4 + 5) / 5.0, 1e-15);
}

}  // namespace
}  // namespace coterie::centered_clipping_test
