#include <gtest/gtest.h>

#include <cmath>

#include "metrics/evaluations.h"

namespace coterie::ari_test {
namespace {

TEST(Ari, LooksAtTrainingClientsOnly) {
  Evaluation e = grouped({0, 0, 1, 2}, {0, 0, 1, 1});
  add(e, Role::unseen, 0, 1, 1, 0, 0);
  add(e, Role::test, 1, 0, 1, 0, 0);
  EXPECT_DOUBLE_EQ(measure("ari", e).number("ari"), 4.0 / 7);
}

TEST(Ari, IsOneWhateverTheNames) {
  EXPECT_DOUBLE_EQ(measure("ari", grouped({2, 2, 0, 1}, {0, 0, 1, 2})).number("ari"), 1);
}

TEST(Ari, DoesNotApplyWithoutTruthOrWithPersonalModels) {
  Evaluation e = grouped({0, 1}, {0, 1});
  e.personal = true;
  ASSERT_NE(measure("ari", e).find("ari"), nullptr);
  EXPECT_TRUE(std::isnan(measure("ari", e).number("ari")));
  e.personal = false;
  e.truth = nullptr;
  EXPECT_TRUE(std::isnan(measure("ari", e).number("ari")));
}

// FedAvg on data without groups finds that one group: no achievement.
TEST(Ari, DoesNotApplyToASingleTrueCluster) {
  const Truth one{1, {"all"}, {}};
  Evaluation e = grouped({0, 0, 0}, {0, 0, 0});
  e.truth = &one;
  EXPECT_TRUE(std::isnan(measure("ari", e).number("ari")));
}

TEST(Ari, OfGroupsAmongClientsWithModelsOfTheirOwn) {
  Evaluation evaluation = grouped({0, 0, 1}, {0, 0, 1});
  evaluation.personal = true;
  EXPECT_TRUE(std::isnan(measure("ari", evaluation).number("ari")));
  evaluation.clustered = true;
  EXPECT_EQ(measure("ari", evaluation).number("ari"), 1);
}

}  // namespace
}  // namespace coterie::ari_test
