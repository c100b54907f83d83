#include <gtest/gtest.h>

#include <cmath>

#include "metrics/evaluations.h"

namespace coterie::loss_test {
namespace {

TEST(Loss, IsAMeanBySamplesOverTrainingClients) {
  Evaluation e;
  add(e, Role::train, 0, 0, 10, 1.0, 0);
  add(e, Role::train, 0, 0, 30, 2.0, 0);
  add(e, Role::test, 0, 0, 100, 9.0, 0);
  EXPECT_DOUBLE_EQ(measure("loss", e).number("loss"), 1.75);
  EXPECT_DOUBLE_EQ(measure("loss", e).number("test_loss"), 9.0);
}

TEST(Loss, TestLossPrefersUnseenClients) {
  Evaluation e;
  add(e, Role::train, 0, 0, 10, 1.0, 0);
  add(e, Role::unseen, 0, 0, 1, 4.0, 0);
  add(e, Role::unseen, 0, 0, 3, 8.0, 0);
  add(e, Role::test, 0, 0, 100, 9.0, 0);
  EXPECT_DOUBLE_EQ(measure("loss", e).number("test_loss"), 7.0);
}

TEST(Loss, ClientsWithoutSamplesDoNotCount) {
  Evaluation e;
  add(e, Role::train, 0, 0, 10, 1.0, 0);
  add(e, Role::train, 0, 0, 0, std::nan(""), 0);
  EXPECT_DOUBLE_EQ(measure("loss", e).number("loss"), 1.0);
}

TEST(Loss, NothingToScoreOnIsNotANumber) {
  Record record = measure("loss", Evaluation{});
  ASSERT_NE(record.find("loss"), nullptr);
  EXPECT_TRUE(std::isnan(record.number("loss")));
  EXPECT_TRUE(std::isnan(record.number("test_loss")));
}

}  // namespace
}  // namespace coterie::loss_test
