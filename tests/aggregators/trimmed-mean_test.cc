#include <gtest/gtest.h>

#include "support/on_a_line.h"

namespace coterie::trimmed_mean_test {
namespace {

TEST(TrimmedMean, LeavesOutAShareAtEitherEnd) {
  EXPECT_EQ(on_a_line("trimmed-mean", "", {100, 1, 3, 2, 4}), 3) << "a fifth";
  EXPECT_EQ(on_a_line("trimmed-mean", "trim = 0.0", {100, 1, 3, 2, 4}), 22);
  EXPECT_EQ(on_a_line("trimmed-mean", "trim = 0.25", {0, 2, 8, 9}), 5);
  // Of weights 4, 2, 2 a quarter is 2: left are 2 of the first and 2 of the second.
  EXPECT_EQ(on_a_line("trimmed-mean", "trim = 0.25", {1, 5, 90}, {4, 2, 2}), 3);
}

TEST(TrimmedMean, HoldsAgainstAsManyAsItCuts) {
  EXPECT_EQ(on_a_line("trimmed-mean", "trim = 0.4", {1e6, 1, 1e6, 2, 3}), 3);
  EXPECT_GT(on_a_line("trimmed-mean", "trim = 0.2", {1e6, 1, 1e6, 2, 3}), 1e5) << "and not against more";
}

TEST(TrimmedMean, SomethingMustBeLeft) {
  EXPECT_THROW(make_plugin<Aggregator>("trimmed-mean", "trim = 0.5"), BadConfig);
}

}  // namespace
}  // namespace coterie::trimmed_mean_test
