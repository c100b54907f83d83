#include <gtest/gtest.h>

#include <cmath>

#include "metrics/evaluations.h"

namespace coterie::mae_test {
namespace {

TEST(MeanAbsoluteError, OverAllRowsInTheTargetsUnits) {
  Evaluation e;
  e.task = Task::regression;
  tell(e, "errors", 2, {3, 5});
  tell(e, "errors", 1, {4, 16});
  for (ClientScore& score : e.scores) score.unit = 10;
  const Record r = measure("mae", e);
  EXPECT_DOUBLE_EQ(r.number("mae"), 70.0 / 3);
  EXPECT_DOUBLE_EQ(r.number("mae_worst"), 40);
}

}  // namespace
}  // namespace coterie::mae_test
