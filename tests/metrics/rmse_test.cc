#include <gtest/gtest.h>

#include <cmath>

#include "metrics/evaluations.h"

namespace coterie::rmse_test {
namespace {

// |error| and error^2 added up.
TEST(Rmse, RootOfTheMeanOverAllRowsInTheTargetsUnits) {
  Evaluation e;
  e.task = Task::regression;
  tell(e, "errors", 2, {3, 5});  // 1, 2
  tell(e, "errors", 1, {4, 16});
  Record r = measure("rmse", e);
  EXPECT_DOUBLE_EQ(r.number("rmse"), std::sqrt(7.0));
  EXPECT_DOUBLE_EQ(r.number("rmse_worst"), 4);
  for (ClientScore& score : e.scores) score.unit = 1000;
  EXPECT_DOUBLE_EQ(measure("rmse", e).number("rmse"), 1000 * std::sqrt(7.0));
}

TEST(Rmse, ClientsWithoutRowsDoNotCount) {
  Evaluation e;
  e.task = Task::regression;
  tell(e, "errors", 2, {3, 5});
  tell(e, "errors", 0, {0, 0});
  EXPECT_DOUBLE_EQ(measure("rmse", e).number("rmse"), std::sqrt(2.5));
  EXPECT_DOUBLE_EQ(measure("rmse", e).number("rmse_worst"), std::sqrt(2.5));
}

TEST(Rmse, DoesNotApplyToClasses) {
  Evaluation e;
  tell(e, "errors", 2, {3, 5});
  EXPECT_TRUE(std::isnan(measure("rmse", e).number("rmse")));
}

}  // namespace
}  // namespace coterie::rmse_test
