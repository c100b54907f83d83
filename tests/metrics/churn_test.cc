#include <gtest/gtest.h>

#include <cmath>

#include "metrics/evaluations.h"

namespace coterie::churn_test {
namespace {

TEST(Churn, IsTheShareThatMoved) {
  Evaluation e = grouped({0, 1, 1, 2}, {0, 0, 0, 0});
  e.previous = grouped({0, 1, 0, 2}, {0, 0, 0, 0}).scores;
  EXPECT_DOUBLE_EQ(measure("churn", e).number("churn"), 0.25);
}

TEST(Churn, IsUnknownAtTheFirstEvaluation) {
  EXPECT_TRUE(std::isnan(measure("churn", grouped({0, 1}, {0, 0})).number("churn")));
}

TEST(Churn, ComparesThoseThatAnsweredBoth) {
  Evaluation e = grouped({0, 1, 1, 2}, {0, 0, 0, 0});
  e.previous = grouped({1, 1, 0, 2}, {0, 0, 0, 0}).scores;
  e.scores.erase(e.scores.begin());          // client 0 is silent now
  e.previous.erase(e.previous.begin() + 2);  // client 2 was silent then
  EXPECT_DOUBLE_EQ(measure("churn", e).number("churn"), 0);
  e.scores[0].cluster = 0;
  EXPECT_DOUBLE_EQ(measure("churn", e).number("churn"), 0.5);
}

TEST(Churn, LeavesOutUnseenClients) {
  Evaluation e = grouped({0, 1}, {0, 0});
  e.previous = e.scores;
  add(e, Role::unseen, 0, 1, 1, 0, 0);
  e.previous.push_back(e.scores.back());
  e.previous.back().cluster = 0;
  EXPECT_DOUBLE_EQ(measure("churn", e).number("churn"), 0);
}

}  // namespace
}  // namespace coterie::churn_test
