#include <gtest/gtest.h>

#include <cmath>

#include "metrics/evaluations.h"

namespace coterie::brier_test {
namespace {

// Two rows with p = (0.2, 0.8) and (0.6, 0.4), both of the second class: 2 * 0.04 and 2 * 0.36.
Evaluation one_client(const Vec& counts) {
  Evaluation e;
  tell(e, "brier", 2, {0.8});
  e.reports.push_back("class_counts");
  e.scores.back().told.push_back(counts);
  return e;
}

TEST(Brier, HalfTheSquaredDistanceForTwoClasses) {
  EXPECT_DOUBLE_EQ(measure("brier", one_client({0, 2, 1, 1, 0, 1})).number("brier"), 0.2);
}

TEST(Brier, TheWholeForMore) {
  EXPECT_DOUBLE_EQ(measure("brier", one_client({0, 2, 0, 1, 1, 0, 0, 1, 0})).number("brier"), 0.4);
}

}  // namespace
}  // namespace coterie::brier_test
