#include <gtest/gtest.h>

#include <cmath>

#include "metrics/evaluations.h"

namespace coterie::matched_test {
namespace {

TEST(Matched, LooksAtTrainingClientsOnly) {
  Evaluation e = grouped({0, 0, 1, 2}, {0, 0, 1, 1});
  add(e, Role::unseen, 0, 1, 1, 0, 0);
  add(e, Role::test, 1, 0, 1, 0, 0);
  EXPECT_DOUBLE_EQ(measure("matched", e).number("cluster_accuracy"), 0.75);
}

TEST(Matched, IsOneWhateverTheNames) {
  EXPECT_DOUBLE_EQ(measure("matched", grouped({2, 2, 0, 1}, {0, 0, 1, 2})).number("cluster_accuracy"), 1);
}

TEST(Matched, DoesNotApplyWithoutTruthOrWithPersonalModels) {
  Evaluation e = grouped({0, 1}, {0, 1});
  e.personal = true;
  ASSERT_NE(measure("matched", e).find("cluster_accuracy"), nullptr);
  EXPECT_TRUE(std::isnan(measure("matched", e).number("cluster_accuracy")));
  e.personal = false;
  e.truth = nullptr;
  EXPECT_TRUE(std::isnan(measure("matched", e).number("cluster_accuracy")));
}

// FedAvg on data without groups finds that one group: no achievement.
TEST(Matched, DoesNotApplyToASingleTrueCluster) {
  const Truth one{1, {"all"}, {}};
  Evaluation e = grouped({0, 0, 0}, {0, 0, 0});
  e.truth = &one;
  EXPECT_TRUE(std::isnan(measure("matched", e).number("cluster_accuracy")));
}

}  // namespace
}  // namespace coterie::matched_test
