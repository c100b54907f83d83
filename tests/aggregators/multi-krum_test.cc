#include <gtest/gtest.h>

#include "support/on_a_line.h"

namespace coterie::multi_krum_test {
namespace {

// 0, 1, 2, 3 are kept.
TEST(MultiKrumRule, IsTheMeanOfAllButTheLiars) {
  EXPECT_NEAR(on_a_line("multi-krum", "", {50, 3, 2, 1, 0}), 1.5, 1e-15);
  EXPECT_NEAR(on_a_line("multi-krum", "", {50, 3, 2, 1, 0}, {9, 5, 1, 1, 1}), (15 + 2 + 1) / 8.0, 1e-15);
  EXPECT_NEAR(on_a_line("multi-krum", "liars = 0.0", {50, 3, 2, 1, 0}), 56 / 5.0, 1e-14);
}

// Scores of 1, 2, 0 and 3.5 are 2, 3.25, 5 and 8.5.
TEST(MultiKrumRule, MayKeepFewer) {
  EXPECT_EQ(on_a_line("multi-krum", "keep = 1", {50, 3.5, 2, 1, 0}), 1);
  EXPECT_NEAR(on_a_line("multi-krum", "keep = 2", {50, 3.5, 2, 1, 0}), 1.5, 1e-15);
  EXPECT_NEAR(on_a_line("multi-krum", "keep = 3", {50, 3.5, 2, 1, 0}), 1, 1e-15);
  EXPECT_NEAR(on_a_line("multi-krum", "keep = 100", {50, 3.5, 2, 1, 0}), 6.5 / 4, 1e-15);
}

TEST(MultiKrumRule, WorksOnVeryFew) {
  for (const char* liars : {"liars = 0.0", "liars = 0.2", "liars = 0.49"}) {
    EXPECT_EQ(on_a_line("multi-krum", liars, {4}), 4);
    EXPECT_EQ(on_a_line("multi-krum", liars, {4, 9}), 6.5) << "nothing tells who lies";
  }
  EXPECT_EQ(on_a_line("multi-krum", "", {4, 9, 10}), 9.5);
}

}  // namespace
}  // namespace coterie::multi_krum_test
