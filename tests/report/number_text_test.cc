#include "report/number_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace coterie::figures_test {
namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Figures, AsPeopleReadThem) {
  EXPECT_EQ(percent_text(0.95314), "95.31");
  EXPECT_EQ(percent_text(1, 1), "100.0");
  EXPECT_EQ(number_text(0.18234567), "0.1823");
  EXPECT_EQ(number_text(1.23456e-8), "1.235e-08");
  EXPECT_EQ(number_text(1234567), "1234567");
  EXPECT_EQ(number_text(0), "0");
  EXPECT_EQ(bytes_text(12200000), "12.2 MB");
  EXPECT_EQ(seconds_text(0.05), "50 ms");
}

TEST(Figures, WhatDoesNotApplyIsADash) {
  EXPECT_EQ(percent_text(kNan), "–");
  EXPECT_EQ(number_text(kNan), "–");
  EXPECT_EQ(number_text(std::numeric_limits<double>::infinity()), "–");
  EXPECT_EQ(bytes_text(kNan), "–");
  EXPECT_EQ(seconds_text(kNan), "–");
}

TEST(SampleSpread, IsThatOfASample) {
  SampleSpread s = spread_of(std::vector<double>{1, kNan, 2, 6});
  EXPECT_EQ(s.count, 3u);
  EXPECT_DOUBLE_EQ(s.mean, 3);
  EXPECT_DOUBLE_EQ(s.deviation, std::sqrt(7.0));  // (4 + 1 + 9) / 2
  EXPECT_EQ(spread_of(std::vector<double>{5}).deviation, 0);
  EXPECT_TRUE(std::isnan(spread_of(std::vector<double>{kNan}).mean));
}

TEST(Median, IsTheMiddleOrTheMeanOfTwo) {
  EXPECT_EQ(median_of(std::vector<double>{9, kNan, 1, 2}), 2);
  EXPECT_EQ(median_of(std::vector<double>{4, 1, 9, 2}), 3);
  EXPECT_TRUE(std::isnan(median_of(std::vector<double>{kNan})));
}

}  // namespace
}  // namespace coterie::figures_test
