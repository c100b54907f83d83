#include <gtest/gtest.h>

#include <cmath>

#include "metrics/evaluations.h"

namespace coterie::r2_test {
namespace {

// Targets 1, 3 at one client and 11, 13, 15 at the other; squared errors add up to 1 and 4.
Evaluation two_clients(double far = 0) {
  Evaluation e;
  e.task = Task::regression;
  e.reports = {"errors", "target_spread"};
  add(e, Role::train, 0, 0, 2, 0, 0);
  e.scores.back().told = {{1, 1}, {far + 2, 2}};
  add(e, Role::train, 0, 0, 3, 0, 0);
  e.scores.back().told = {{3, 4}, {far + 13, 8}};
  return e;
}

// The mean of all five is 8.6; squared distances 57.76 + 31.36 + 5.76 + 19.36 + 40.96 = 155.2.
TEST(RSquared, AgainstTheMeanOfAllRows) {
  const Record r = measure("r2", two_clients());
  EXPECT_NEAR(r.number("r2"), 1 - 5 / 155.2, 1e-15);
  EXPECT_DOUBLE_EQ(r.number("r2_worst"), 0.5) << "against the mean of the client's own rows";
}

TEST(RSquared, HoldsForTargetsFarFromZeroAndInAnyUnit) {
  Evaluation e = two_clients(1e9);
  EXPECT_NEAR(measure("r2", e).number("r2"), 1 - 5 / 155.2, 1e-12);
  for (ClientScore& score : e.scores) score.unit = 1e-6;
  EXPECT_NEAR(measure("r2", e).number("r2"), 1 - 5 / 155.2, 1e-12);
}

TEST(RSquared, NoneWhereAllTargetsAreEqual) {
  Evaluation e = two_clients();
  e.scores.pop_back();
  e.scores[0].told[1] = {2, 0};
  EXPECT_TRUE(std::isnan(measure("r2", e).number("r2")));
}

}  // namespace
}  // namespace coterie::r2_test
