#include <gtest/gtest.h>

#include <cmath>

#include "metrics/evaluations.h"

namespace coterie::f1_test {
namespace {

// Rows, predicted, right. Class 0: precision 4/5, recall 4/6, F1 = 8/11; class 1: 3/5 and 3/4, F1 = 6/9.
TEST(MacroF1, MeanOverClassesOfTheHarmonicMean) {
  Evaluation e;
  tell(e, "class_counts", 10, {6, 4, 5, 5, 4, 3});
  EXPECT_DOUBLE_EQ(measure("f1", e).number("f1"), (8.0 / 11 + 6.0 / 9) / 2);
}

TEST(MacroF1, CountsOfClientsAreAddedFirst) {
  Evaluation e;
  tell(e, "class_counts", 6, {4, 2, 3, 3, 2, 1});
  tell(e, "class_counts", 4, {2, 2, 2, 2, 2, 2});
  const Record r = measure("f1", e);
  EXPECT_DOUBLE_EQ(r.number("f1"), (8.0 / 11 + 6.0 / 9) / 2);
  EXPECT_DOUBLE_EQ(r.number("f1_worst"), (4.0 / 7 + 2.0 / 5) / 2);
}

TEST(MacroF1, AClassThatIsOnlyPredictedCountsZero) {
  Evaluation e;
  tell(e, "class_counts", 4, {4, 0, 0, 3, 1, 0, 3, 0, 0});
  EXPECT_DOUBLE_EQ(measure("f1", e).number("f1"), (6.0 / 7 + 0) / 2);
}

}  // namespace
}  // namespace coterie::f1_test
