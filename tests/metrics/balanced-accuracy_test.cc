#include <gtest/gtest.h>

#include <cmath>

#include "metrics/evaluations.h"

namespace coterie::balanced_accuracy_test {
namespace {

// Rows, predicted, right, each for two classes. Client 0: 9 of the first class, all right, and 1 of the
// second, wrong. Client 1: 4 of 6 and 3 of 4 right.
Evaluation two_clients() {
  Evaluation e;
  tell(e, "class_counts", 10, {9, 1, 10, 0, 9, 0});
  tell(e, "class_counts", 10, {6, 4, 5, 5, 4, 3});
  return e;
}

TEST(BalancedAccuracy, ClassesCountAlikeHoweverRare) {
  const Record r = measure("balanced-accuracy", two_clients());
  EXPECT_DOUBLE_EQ(r.number("balanced_accuracy"), (13.0 / 15 + 3.0 / 5) / 2);
  EXPECT_DOUBLE_EQ(r.number("balanced_accuracy_worst"), 0.5) << "always the same class";
  EXPECT_TRUE(std::isnan(r.number("test_balanced_accuracy")));
}

TEST(BalancedAccuracy, AClassWithoutRowsDoesNotCount) {
  Evaluation e;
  tell(e, "class_counts", 4, {4, 0, 0, 3, 1, 0, 3, 0, 0});
  EXPECT_DOUBLE_EQ(measure("balanced-accuracy", e).number("balanced_accuracy"), 0.75);
}

TEST(BalancedAccuracy, UnseenClientsAreTestData) {
  Evaluation e = two_clients();
  tell(e, "class_counts", 2, {1, 1, 2, 0, 1, 0}, Role::test);
  EXPECT_DOUBLE_EQ(measure("balanced-accuracy", e).number("test_balanced_accuracy"), 0.5);
  tell(e, "class_counts", 2, {1, 1, 1, 1, 1, 1}, Role::unseen);
  EXPECT_DOUBLE_EQ(measure("balanced-accuracy", e).number("test_balanced_accuracy"), 1);
}

TEST(BalancedAccuracy, NoFigureWhereItWasNotAskedFor) {
  Evaluation e = two_clients();
  e.reports = {"brier"};
  EXPECT_TRUE(std::isnan(measure("balanced-accuracy", e).number("balanced_accuracy")));
  e.reports.clear();
  for (ClientScore& score : e.scores) score.told.clear();
  EXPECT_TRUE(std::isnan(measure("balanced-accuracy", e).number("balanced_accuracy")));
}

}  // namespace
}  // namespace coterie::balanced_accuracy_test
