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

TEST(NormalisedError, TheMedianOfTheFirstClusterIsForModelsOfClientsOwn) {
  Evaluation e;
  for (const double error : {0.5, 9.0, 0.25, 0.75}) {
    add(e, Role::train, 0, 0, 1, 0, 0);
    e.scores.back().parameter_error = error;
  }
  add(e, Role::train, 1, 0, 1, 0, 0);
  e.scores.back().parameter_error = 100;
  EXPECT_EQ(measure("normalised-error", e).find("normalised_error_first_median"), nullptr);
  e.personal = true;
  EXPECT_DOUBLE_EQ(measure("normalised-error", e).number("normalised_error_first_median"), 0.625);
  EXPECT_DOUBLE_EQ(measure("normalised-error", e).number("normalised_error_first"), 2.625);
  e.scores[0].parameter_error = std::nan("");
  EXPECT_TRUE(std::isnan(measure("normalised-error", e).number("normalised_error_first_median")));
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
