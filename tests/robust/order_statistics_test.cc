#include "robust/order_statistics.h"

#include <gtest/gtest.h>

namespace coterie::order_statistics_test {
namespace {

double median(std::vector<Weighted> numbers) { return weighted_median(numbers); }
double trimmed(std::vector<Weighted> numbers, double trim) { return trimmed_mean(numbers, trim); }

TEST(WeightedMedian, HasHalfOfTheWeightOnEitherSide) {
  EXPECT_EQ(median({{7, 2}}), 7);
  EXPECT_EQ(median({{3, 1}, {1, 1}, {2, 1}}), 2);
  EXPECT_EQ(median({{10, 1}, {3, 1}, {1, 1}, {2, 1}}), 2.5);
  EXPECT_EQ(median({{1, 1}, {2, 1}, {3, 2}}), 2.5) << "1 and 2 are half of the weight";
  EXPECT_EQ(median({{9, 1}, {1, 3}, {2, 1}}), 1);
  EXPECT_EQ(median({{1, 0.5}, {5, 3}}), 5);
  EXPECT_EQ(median({{1e308, 1}, {-1e308, 1}}), 0);
  EXPECT_EQ(median({{1e308, 1}, {1.5e308, 1}}), 1.25e308);
}

TEST(TrimmedMean, CutsAShareOfTheWeightAtEitherEnd) {
  EXPECT_EQ(trimmed({{100, 1}, {3, 1}, {1, 1}, {2, 1}, {4, 1}}, 0.2), 3);
  EXPECT_EQ(trimmed({{0, 1}, {10, 1}, {20, 1}, {100, 1}}, 0), 32.5);
  // Half of the weight of 0 and of 100 is left.
  EXPECT_NEAR(trimmed({{0, 1}, {10, 1}, {20, 1}, {100, 1}}, 0.125), (10 + 20 + 50) / 3.0, 1e-13);
  EXPECT_EQ(trimmed({{0, 4}, {10, 1}}, 0.2), 0) << "10 has the upper fifth";
  EXPECT_EQ(trimmed({{1, 1}, {2, 1}, {3, 1}}, 0.49), 2);
  EXPECT_EQ(trimmed({{0.1, 1}, {0.1, 2}, {0.1, 4}}, 0.2), 0.1);
}

TEST(TrimmedMean, LeavesNothingOfAsManyAsAreCut) {
  for (int n = 3; n < 200; ++n) {
    for (int liars = 1; liars < 4 && 2 * liars < n; ++liars) {
      std::vector<Weighted> numbers;
      for (int i = 0; i < n; ++i) numbers.push_back({i < liars ? 1e15 : 1.0 + i % 2, 1});
      EXPECT_LE(trimmed(numbers, static_cast<double>(liars) / n), 2) << liars << " of " << n;
    }
  }
}

TEST(CoordinateMedian, TakesEachCoordinateByItself) {
  const Vec values = {1, 50, 2, 30, 3, 10};
  const Points points{values, 3, 2};
  EXPECT_EQ(coordinate_median(points, Vec{1, 1, 1}), (Vec{2, 30}));
  EXPECT_EQ(coordinate_median(points, Vec{1, 1, 3}), (Vec{3, 10}));
  EXPECT_EQ(coordinate_trimmed_mean(points, Vec{1, 1, 1}, 0), (Vec{2, 30}));
  EXPECT_EQ(coordinate_trimmed_mean(points, Vec{2, 1, 1}, 0.25), (Vec{1.5, 40}));
}

}  // namespace
}  // namespace coterie::order_statistics_test
