#include "data/formats/columns.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace coterie::columns_test {
namespace {

const std::vector<std::string> kTokens = {"?", ""};
const MissingTokens kMissing(kTokens);

TEST(NumberColumn, TellsNumbersFromMissingAndOthers) {
  Sheet sheet("a,b\n1.5,x\n?,1\n-2,\n", "x.csv", ',');
  NumberColumn a = read_numbers(sheet, 0, kMissing);
  EXPECT_EQ(a.numbers, 2u);
  EXPECT_EQ(a.missing, 1u);
  EXPECT_EQ(a.first_other, std::nullopt);
  EXPECT_EQ(a.values[0], 1.5);
  EXPECT_TRUE(std::isnan(a.values[1]));
  EXPECT_EQ(a.values[2], -2);
  NumberColumn b = read_numbers(sheet, 1, kMissing);
  EXPECT_EQ(b.numbers, 1u);
  EXPECT_EQ(b.missing, 1u);
  EXPECT_EQ(b.first_other, 0u);
}

TEST(CategoryColumn, SortsNumbersAsNumbersAndMergesEqualOnes) {
  Sheet sheet("a\n10\n9.0\n?\n9\n-1\n10.0\n", "x.csv", ',');
  CategoryColumn a = read_categories(sheet, 0, kMissing);
  EXPECT_EQ(a.names, (std::vector<std::string>{"-1", "9.0", "10"}));
  EXPECT_EQ(a.codes, (std::vector<std::uint32_t>{2, 1, CategoryColumn::kMissing, 1, 0, 2}));
}

TEST(CategoryColumn, SortsTextAsTextEvenWithNumbersAmong) {
  Sheet sheet("a\n10\n9\nb\nB\n10\n", "x.csv", ',');
  CategoryColumn a = read_categories(sheet, 0, kMissing);
  EXPECT_EQ(a.names, (std::vector<std::string>{"10", "9", "B", "b"}));
  EXPECT_EQ(a.codes, (std::vector<std::uint32_t>{0, 1, 3, 2, 0}));
}

TEST(Standardise, GivesMeanZeroAndDeviationOne) {
  std::vector<double> values = {1, 2, 3, 6};  // mean 3, variance (4 + 1 + 0 + 9) / 4
  const ColumnScaling scaling = standardise(values);
  const double deviation = std::sqrt(3.5);
  EXPECT_NEAR(scaling.mean, 3, 1e-15);
  EXPECT_NEAR(scaling.deviation, deviation, 1e-15);
  EXPECT_NEAR(values[0], -2 / deviation, 1e-15);
  EXPECT_NEAR(values[2], 0, 1e-15);
  EXPECT_NEAR(values[3], 3 / deviation, 1e-15);
}

TEST(Standardise, TurnsAConstantIntoZero) {
  std::vector<double> values = {0.1, 0.1, 0.1};
  const ColumnScaling scaling = standardise(values);
  EXPECT_EQ(values, (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(scaling.mean, 0.1);
  EXPECT_EQ(scaling.deviation, 1);
}

TEST(Standardise, WorksOnNumbersOfAnySize) {
  for (const double unit : {1e308, 1e200, 1.0, 1e-200, 1e-307, 1e-318}) {
    std::vector<double> values = {-1 * unit, 0, 1 * unit};
    const ColumnScaling scaling = standardise(values);
    EXPECT_NEAR(scaling.mean / unit, 0, 1e-12) << unit;
    EXPECT_NEAR(scaling.deviation / unit, std::sqrt(2.0 / 3), 1e-5) << unit;
    EXPECT_NEAR(values[0], -std::sqrt(1.5), 1e-5) << unit;
    EXPECT_NEAR(values[2], std::sqrt(1.5), 1e-5) << unit;
  }
  constexpr double kMost = std::numeric_limits<double>::max(),
                   kLeast = std::numeric_limits<double>::denorm_min();
  std::vector<double> ends = {-kMost, kMost, kMost};
  EXPECT_TRUE(std::isfinite(standardise(ends).deviation));
  EXPECT_NEAR(ends[0], -std::sqrt(2), 1e-12);
  std::vector<double> least = {0, kLeast};
  EXPECT_GT(standardise(least).deviation, 0);
  EXPECT_LT(least[0], least[1]);
}

TEST(MeanOf, DoesNotOverflow) {
  EXPECT_EQ(mean_of({}), 0);
  EXPECT_EQ(mean_of({1, 2, 6}), 3);
  EXPECT_NEAR(mean_of({1e308, 1.5e308}), 1.25e308, 1e294);
  constexpr double kMost = std::numeric_limits<double>::max();
  EXPECT_EQ(mean_of({kMost, kMost, kMost}), kMost);
}

}  // namespace
}  // namespace coterie::columns_test
