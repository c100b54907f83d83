#include "coterie/algorithm.h"

#include <gtest/gtest.h>

#include "support/tiny_federation.h"

namespace coterie::algorithm_test {
namespace {

// Two models that are far off and whose mean is the model 1: as a mixture they have its loss.
TEST(PredictMixture, HasTheLossOfTheModelThatPredictsTheSame) {
  for (const char* factor : {"factor = 0.5", "factor = 1.0", "factor = 3.0"}) {
    TinyRun run({{{{1}, {2}}, {3, 5}, 0}}, {.model_toml = factor});
    ClientView view(*run.engine, 0, {Purpose::work, 1, 0}, {});
    Predictions mixed =
        predict_mixture({view.to_shared({0.0}), view.to_shared({4.0})}, {0.75, 0.25}, view, Part::test);
    EXPECT_EQ(mixed.outputs, (Vec{1, 2}));
    EXPECT_EQ(mixed.losses, view.losses(view.to_shared({1.0}), Part::test)) << factor;
  }
}

}  // namespace
}  // namespace coterie::algorithm_test
