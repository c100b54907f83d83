#include <gtest/gtest.h>

#include <cmath>

#include "metrics/evaluations.h"

namespace coterie::accuracy_test {
namespace {

const Truth kTruth{2, {"a", "b"}, {}};

// Cluster a: (10 x 0.9 + 30 x 0.7) / 40 = 0.75; cluster b: 0.8 on 10.
Evaluation three_clients() {
  Evaluation e;
  e.truth = &kTruth;
  add(e, Role::train, 0, 0, 10, 0, 0.9);
  add(e, Role::train, 0, 0, 30, 0, 0.7);
  add(e, Role::train, 1, 0, 10, 0, 0.8);
  return e;
}

TEST(Accuracy, MeanSpreadAndWorst) {
  Record r = measure("accuracy", three_clients());
  EXPECT_DOUBLE_EQ(r.number("accuracy"), 38.0 / 50);
  EXPECT_NEAR(r.number("accuracy_std"), std::sqrt(0.02 / 3), 1e-15);
  EXPECT_DOUBLE_EQ(r.number("accuracy_min"), 0.7);
  EXPECT_DOUBLE_EQ(r.number("worst_cluster"), 0.75);
  EXPECT_TRUE(std::isnan(r.number("test_accuracy")));
}

TEST(Accuracy, SharedTestSetsCountBySamplesUnlessThereAreUnseenClients) {
  Evaluation e = three_clients();
  add(e, Role::test, 0, 0, 100, 0, 0.5);
  add(e, Role::test, 1, 0, 300, 0, 0.9);
  EXPECT_DOUBLE_EQ(measure("accuracy", e).number("test_accuracy"), 0.8);
  EXPECT_DOUBLE_EQ(measure("accuracy", e).number("accuracy"), 38.0 / 50);
  add(e, Role::unseen, 0, 0, 5, 0, 0.4);
  EXPECT_DOUBLE_EQ(measure("accuracy", e).number("test_accuracy"), 0.4);
  EXPECT_DOUBLE_EQ(measure("accuracy", e).number("accuracy_min"), 0.7);
}

TEST(Accuracy, ClientsWithoutSamplesAreNotTheWorst) {
  Evaluation e = three_clients();
  add(e, Role::train, 1, 0, 0, 0, 0);
  EXPECT_DOUBLE_EQ(measure("accuracy", e).number("accuracy_min"), 0.7);
  EXPECT_NEAR(measure("accuracy", e).number("accuracy_std"), std::sqrt(0.02 / 3), 1e-15);
}

TEST(Accuracy, AClusterWithoutSamplesIsNotTheWorst) {
  Evaluation e;
  e.truth = &kTruth;
  add(e, Role::train, 0, 0, 0, 0, 0);
  add(e, Role::train, 1, 0, 10, 0, 0.8);
  EXPECT_DOUBLE_EQ(measure("accuracy", e).number("worst_cluster"), 0.8);
}

TEST(Accuracy, ASingleTrueClusterIsNotTheWorst) {
  const Truth one{1, {"all"}, {}};
  Evaluation e = three_clients();
  e.truth = &one;
  for (ClientScore& score : e.scores) score.truth = 0;
  EXPECT_TRUE(std::isnan(measure("accuracy", e).number("worst_cluster")));
}

TEST(Accuracy, DoesNotApplyToRegression) {
  Evaluation e = three_clients();
  add(e, Role::unseen, 0, 0, 5, 0, 0.4);
  e.task = Task::regression;
  Record r = measure("accuracy", e);
  for (const char* name : {"accuracy", "accuracy_std", "accuracy_min", "worst_cluster", "test_accuracy"}) {
    ASSERT_NE(r.find(name), nullptr) << name;
    EXPECT_TRUE(std::isnan(r.number(name))) << name;
  }
}

}  // namespace
}  // namespace coterie::accuracy_test
