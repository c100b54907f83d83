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

}  // namespace
}  // namespace coterie::columns_test
