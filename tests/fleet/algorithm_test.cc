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

// Models 0 and 1 with weights by row: 10,000 rows, far more than are judged at a time, of which row i wants
// i.
TEST(PredictMixture, WeightsOfRowsBelongToTheirRows) {
  constexpr std::size_t kRows = 10000;
  TinyFederation::Client client;
  Vec weights, expected;
  for (std::size_t i = 0; i < kRows; ++i) {
    const double share = static_cast<double>(i) / kRows;
    client.x.push_back({1.0});
    client.y.push_back(0.0);
    weights.push_back(1 - share);
    weights.push_back(share);
    expected.push_back(share);
  }
  TinyRun run({client}, {});
  ClientView view(*run.engine, 0, {Purpose::work, 1, 0}, {});
  EXPECT_EQ(
      predict_mixture({view.to_shared({0.0}), view.to_shared({1.0})}, weights, view, Part::test).outputs,
      expected);
}

TEST(Algorithm, ASmallWeightCountsInAPrediction) {
  TinyRun run({{{{1}}, {3}, 0}}, {});
  ClientView view(*run.engine, 0, {Purpose::work, 1, 0}, {});
  const Shelf offer({{1.0}, {101.0}, {5.0}}, Precision::f64);
  EXPECT_EQ(run.algorithm->predict(offer, {0.75, 0.125, 0.125}, view, Part::test).outputs,
            (Vec{0.75 + 12.625 + 0.625}));
}

}  // namespace
}  // namespace coterie::algorithm_test
