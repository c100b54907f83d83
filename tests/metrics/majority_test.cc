#include <gtest/gtest.h>

#include <cmath>

#include "metrics/evaluations.h"

namespace coterie::majority_test {
namespace {

TEST(Majority, TheMostFrequentClassOfAllRowsTogether) {
  Evaluation e;
  tell(e, "class_counts", 10, {9, 1, 10, 0, 9, 0});
  tell(e, "class_counts", 20, {4, 16, 5, 15, 4, 15});
  const Record r = measure("majority", e);
  EXPECT_DOUBLE_EQ(r.number("majority"), 17.0 / 30) << "not the mean of the clients' own";
  EXPECT_DOUBLE_EQ(r.number("majority_worst"), 0.8);
}

}  // namespace
}  // namespace coterie::majority_test
