#include "data/moments.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace coterie::moments_test {
namespace {

ColumnMoments of(const std::vector<double>& values) { return moments_of(values); }

TEST(ColumnMoments, AreCountMeanAndSquaredDeviations) {
  const ColumnMoments m = of({1, 2, 3, 6});  // deviations -2, -1, 0, 3
  EXPECT_EQ(m.count, 4);
  EXPECT_EQ(m.middle(), 3);
  EXPECT_EQ(m.m2, 14);
  EXPECT_DOUBLE_EQ(m.deviation(4), std::sqrt(3.5));
  // Four rows more, that are missing and filled with the mean.
  EXPECT_DOUBLE_EQ(m.deviation(8), std::sqrt(14.0 / 8));
  EXPECT_EQ(of({}).count, 0);
  EXPECT_EQ(of({}).deviation(3), 1);
}

TEST(ColumnMoments, OfAConstantAreExact) {
  const ColumnMoments m = merged(of({0.1, 0.1, 0.1}), of({0.1}));
  EXPECT_EQ(m.middle(), 0.1);
  EXPECT_EQ(m.m2, 0);
  EXPECT_EQ(m.deviation(4), 1);
}

// {1, 2} and {3, 6}: means 1.5 and 4.5, m2 0.5 and 4.5; gap 3, so 0.5 + 4.5 + 9 * 2 * 2 / 4 = 14.
TEST(ColumnMoments, MergeAsIfTheRowsWereTogether) {
  const ColumnMoments m = merged(of({1, 2}), of({3, 6}));
  EXPECT_EQ(m.count, 4);
  EXPECT_EQ(m.middle(), 3);
  EXPECT_EQ(m.m2, 14);
  EXPECT_EQ(merged(of({}), of({5, 7})).middle(), 6);
  EXPECT_EQ(merged(of({5, 7}), of({})).m2, 2);
}

TEST(ColumnMoments, KeepSmallDifferencesOfLargeNumbers) {
  // A sum of squares would lose the 1 beside 1e18.
  const ColumnMoments m = merged(of({1e9, 1e9 + 1}), of({1e9 + 2, 1e9 + 3}));
  EXPECT_EQ(m.middle(), 1e9 + 1.5);
  EXPECT_EQ(m.m2, 5);
}

TEST(ColumnMoments, HoldNumbersOfAnySize) {
  for (const double unit : {1e308, 1e200, 1.0, 1e-200, 1e-307, 1e-318}) {
    const ColumnMoments m = merged(of({-1 * unit, 0}), of({1 * unit}));
    EXPECT_NEAR(m.middle() / unit, 0, 1e-12) << unit;
    EXPECT_NEAR(m.deviation(3) / unit, std::sqrt(2.0 / 3), 1e-5) << unit;
    EXPECT_TRUE(m.possible(3));
  }
  constexpr double kMost = std::numeric_limits<double>::max();
  EXPECT_TRUE(std::isfinite(merged(of({-kMost}), of({kMost, kMost})).deviation(3)));
  EXPECT_GT(of({0, std::numeric_limits<double>::denorm_min()}).deviation(2), 0);
}

TEST(ColumnMoments, TellWhatNoClientCanHaveSeen) {
  EXPECT_TRUE(of({1, 2}).possible(2));
  EXPECT_FALSE(of({1, 2}).possible(1));
  EXPECT_FALSE((ColumnMoments{1, std::nan(""), 0, 0}).possible(1));
  EXPECT_FALSE((ColumnMoments{1, 0, -1, 0}).possible(1));
  EXPECT_FALSE((ColumnMoments{1, 0, 0, 1e9}).possible(1));
  EXPECT_FALSE((ColumnMoments{0.5, 0, 0, 0}).possible(1));
}

}  // namespace
}  // namespace coterie::moments_test
