#include "clustering/relabel.h"

#include <gtest/gtest.h>

namespace coterie::relabel_test {
namespace {

using Labels = std::vector<std::uint32_t>;
constexpr std::uint32_t kNone = 99;

Labels numbers(const Labels& before, const Labels& now, std::size_t groups) {
  return renumbered(before, now, groups, kNone);
}

TEST(Relabel, GroupsKeepTheNumberOfMostOfTheirItems) {
  EXPECT_EQ(numbers({1, 1, 0, 0, 0}, {0, 0, 1, 1, 0}, 2), (Labels{1, 0}));
  EXPECT_EQ(numbers({2, 0, 1}, {0, 1, 2}, 3), (Labels{2, 0, 1}));
}

TEST(Relabel, TheLargerShareWinsANumber) {
  // Both come from group 1: three items of the second, one of the first.
  EXPECT_EQ(numbers({1, 1, 1, 1, 0}, {0, 1, 1, 1, kNone}, 2), (Labels{0, 1}));
}

TEST(Relabel, NewcomersAndNewGroupsTakeWhatIsLeft) {
  EXPECT_EQ(numbers({kNone, 0, kNone}, {0, 1, 2}, 3), (Labels{1, 0, 2}));
  EXPECT_EQ(numbers({kNone, kNone}, {0, 1}, 2), (Labels{0, 1}));
}

TEST(Relabel, NumbersStayBelowTheNumberOfGroups) {
  EXPECT_EQ(numbers({2, 2, 1, 0}, {0, 0, 1, 1}, 2), (Labels{1, 0})) << "1 wants 0 and 1, the first of equals";
  EXPECT_EQ(numbers({5, 5}, {0, 0}, 1), (Labels{0}));
}

}  // namespace
}  // namespace coterie::relabel_test
