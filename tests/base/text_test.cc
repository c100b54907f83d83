#include "base/text.h"

#include <gtest/gtest.h>

#include <limits>

namespace coterie::text_test {
namespace {

TEST(Split, KeepsEmptyParts) {
  EXPECT_EQ(split("a.b..c", '.'), (std::vector<std::string>{"a", "b", "", "c"}));
  EXPECT_EQ(split("", '.'), (std::vector<std::string>{""}));
  EXPECT_EQ(split(".", '.'), (std::vector<std::string>{"", ""}));
}

TEST(Join, PutsTheSeparatorBetween) {
  EXPECT_EQ(join({"a", "b", "c"}, ", "), "a, b, c");
  EXPECT_EQ(join({"a"}, ", "), "a");
  EXPECT_EQ(join({}, ", "), "");
}

TEST(Counted, OneIsNotMany) {
  EXPECT_EQ(counted(0, "client"), "0 clients");
  EXPECT_EQ(counted(1, "client"), "1 client");
  EXPECT_EQ(counted(20, "client"), "20 clients");
  EXPECT_EQ(counted(1, "cluster was", "clusters were"), "1 cluster was");
  EXPECT_EQ(counted(2, "cluster was", "clusters were"), "2 clusters were");
}

TEST(Either, EndsWithOr) {
  EXPECT_EQ(either({}), "");
  EXPECT_EQ(either({"a"}), "a");
  EXPECT_EQ(either({"a", "b"}), "a or b");
  EXPECT_EQ(either({"a", "b", "c"}), "a, b or c");
}

TEST(Trim, TakesBlanksOffBothEnds) {
  EXPECT_EQ(trim(" \t a b \r\n"), "a b");
  EXPECT_EQ(trim("  \n"), "");
}

TEST(HumanBytes, PicksTheUnit) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(999), "999 B");
  EXPECT_EQ(human_bytes(1000), "1.0 kB");
  EXPECT_EQ(human_bytes(1'234'567), "1.2 MB");
  EXPECT_EQ(human_bytes(999'949), "999.9 kB");
  EXPECT_EQ(human_bytes(999'960), "1.0 MB");
  EXPECT_EQ(human_bytes(std::numeric_limits<std::uint64_t>::max()), "18.4 EB");
}

TEST(HumanSeconds, PicksTheUnit) {
  EXPECT_EQ(human_seconds(0), "0 ms");
  EXPECT_EQ(human_seconds(0.00032), "0.3 ms");
  EXPECT_EQ(human_seconds(0.35), "350 ms");
  EXPECT_EQ(human_seconds(0.9996), "1.0 s");
  EXPECT_EQ(human_seconds(3.44), "3.4 s");
  EXPECT_EQ(human_seconds(59.96), "1 min 00 s");
  EXPECT_EQ(human_seconds(125), "2 min 05 s");
  EXPECT_EQ(human_seconds(3599.6), "1 h 00 min");
  EXPECT_EQ(human_seconds(4320), "1 h 12 min");
  EXPECT_EQ(human_seconds(std::numeric_limits<double>::infinity()), "?");
  EXPECT_EQ(human_seconds(std::numeric_limits<double>::quiet_NaN()), "?");
}

TEST(InQuotes, IsShortAndOnOneLine) {
  EXPECT_EQ(in_quotes("high"), "\"high\"");
  EXPECT_EQ(in_quotes("a\nb\tc"), "\"a?b?c\"");
  EXPECT_EQ(in_quotes(std::string(60, 'x')), "\"" + std::string(60, 'x') + "\"");
  EXPECT_EQ(in_quotes(std::string(30, 'x') + std::string(31, 'y')),
            "\"" + std::string(27, 'x') + " ... " + std::string(27, 'y') + "\"");
}

}  // namespace
}  // namespace coterie::text_test
