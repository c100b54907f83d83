#include "fit/evidence.h"

#include <gtest/gtest.h>

namespace coterie::evidence_test {
namespace {

struct Figures {
  double differ = 0.005, p = 0.005, stability = 0.9, misfit = 0.5;
  std::size_t clients = 12;
};

std::string answer(const Figures& figures) {
  GroupEvidence e;
  e.clients.resize(figures.clients);
  e.homogeneity.p = figures.differ;
  e.p = figures.p;
  e.stability.least = figures.stability;
  e.misfit.p = figures.misfit;
  judge_groups(e);
  EXPECT_FALSE(e.why.empty());
  return answer_name(e.there_are);
}

TEST(JudgeGroups, SaysYesWhenEverythingDoes) { EXPECT_EQ(answer({}), "yes"); }

TEST(JudgeGroups, SaysNoWhenClientsAreAlikeOrAContinuum) {
  EXPECT_EQ(answer({.differ = 0.06}), "no");
  EXPECT_EQ(answer({.p = 0.06}), "no");
}

TEST(JudgeGroups, StabilityDecidesWhereTheTestIsNotClear) {
  EXPECT_EQ(answer({.p = 0.03, .stability = 0.5}), "no");
  EXPECT_EQ(answer({.p = 0.03, .stability = 0.6}), "unsure");
}

TEST(RowOrder, DependsWhereTheCorrelationIsLargeAndNoChance) {
  EXPECT_TRUE((RowOrder{1000, 0.11}).dependent());
  EXPECT_FALSE((RowOrder{1000000, 0.09}).dependent()) << "sure, but small";
  EXPECT_FALSE((RowOrder{100, 0.29}).dependent()) << "may be chance";
  EXPECT_FALSE((RowOrder{1000, -0.5}).dependent());
  EXPECT_FALSE(RowOrder{}.dependent());
}

TEST(JudgeGroups, CannotTellWhenFiguresContradictEachOtherOrAreFew) {
  EXPECT_EQ(answer({.stability = 0.5}), "unsure");
  EXPECT_EQ(answer({.misfit = 0.005}), "unsure");
  EXPECT_EQ(answer({.clients = 11}), "unsure");
}

}  // namespace
}  // namespace coterie::evidence_test
