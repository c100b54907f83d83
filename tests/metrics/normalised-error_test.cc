#include <gtest/gtest.h>

#include <cmath>

#include "metrics/evaluations.h"

namespace coterie::normalised_error_test {
namespace {

TEST(NormalisedError, IsTheMeanOverTrainingClients) {
  Evaluation e;
  add(e, Role::train, 0, 0, 1, 0, 0);
  add(e, Role::train, 1, 0, 99, 0, 0);
  add(e, Role::test, 0, 0, 1, 0, 0);
  e.scores[0].parameter_error = 0.5;
  e.scores[1].parameter_error = 0.25;
  EXPECT_DOUBLE_EQ(measure("normalised-error", e).number("normalised_error"), 0.375);
}

TEST(NormalisedError, DoesNotApplyWhereSomeClientHasNone) {
  Evaluation e;
  EXPECT_TRUE(std::isnan(measure("normalised-error", e).number("normalised_error")));
  add(e, Role::train, 0, 0, 1, 0, 0);
  add(e, Role::train, 1, 0, 1, 0, 0);
  e.scores[0].parameter_error = 0.5;
  EXPECT_TRUE(std::isnan(measure("normalised-error", e).number("normalised_error")));
}

}  // namespace
}  // namespace coterie::normalised_error_test
