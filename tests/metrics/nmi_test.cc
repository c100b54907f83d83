#include <gtest/gtest.h>

#include <cmath>

#include "metrics/evaluations.h"

namespace coterie::nmi_test {
namespace {

TEST(Nmi, LooksAtTrainingClientsOnly) {
  Evaluation e = grouped({0, 0, 1, 2}, {0, 0, 1, 1});
  add(e, Role::unseen, 0, 1, 1, 0, 0);
  add(e, Role::test, 1, 0, 1, 0, 0);
  EXPECT_DOUBLE_EQ(measure("nmi", e).number("nmi"), 0.8);
}

TEST(Nmi, IsOneWhateverTheNames) {
  EXPECT_DOUBLE_EQ(measure("nmi", grouped({2, 2, 0, 1}, {0, 0, 1, 2})).number("nmi"), 1);
}

TEST(Nmi, DoesNotApplyWithoutTruthOrWithPersonalModels) {
  Evaluation e = grouped({0, 1}, {0, 1});
  e.personal = true;
  ASSERT_NE(measure("nmi", e).find("nmi"), nullptr);
  EXPECT_TRUE(std::isnan(measure("nmi", e).number("nmi")));
  e.personal = false;
  e.truth = nullptr;
  EXPECT_TRUE(std::isnan(measure("nmi", e).number("nmi")));
}

// FedAvg on data without groups finds that one group: no achievement.
TEST(Nmi, DoesNotApplyToASingleTrueCluster) {
  const Truth one{1, {"all"}, {}};
  Evaluation e = grouped({0, 0, 0}, {0, 0, 0});
  e.truth = &one;
  EXPECT_TRUE(std::isnan(measure("nmi", e).number("nmi")));
}

}  // namespace
}  // namespace coterie::nmi_test
