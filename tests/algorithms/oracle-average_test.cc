#include <gtest/gtest.h>

#include "support/tiny_federation.h"

namespace coterie::oracle_average_test {
namespace {

// Own models: 2 and 5 in cluster 1, -3 in cluster 0; unequal numbers of samples.
const std::vector<TinyFederation::Client> kThree = {
    {{{1}}, {2}, 1}, {{{1}, {1}}, {5, 5}, 1}, {{{1}}, {-3}, 0}};

TEST(OracleAverage, IsThePlainMeanInsideTrueClusters) {
  TinyRun run(kThree, {.algorithm = "oracle-average"});
  EXPECT_EQ(run.algorithm->start_models(), 2u);
  run.start({{0.0}, {0.0}});
  run.round({0, 1, 2});
  EXPECT_NEAR(run.models()[0][0], -3, 1e-14);
  EXPECT_NEAR(run.models()[1][0], 3.5, 1e-14) << "not weighed by samples";
}

TEST(OracleAverage, AClusterOutsideTheCohortStays) {
  TinyRun run(kThree, {.algorithm = "oracle-average"});
  run.start({{0.25}, {0.5}});
  run.round({0});
  EXPECT_EQ(run.models()[0][0], 0.25);
  EXPECT_NEAR(run.models()[1][0], 2, 1e-14);
}

TEST(OracleAverage, SaysWhenOwnModelsAreInexact) {
  TinyRun run(kThree,
              {.algorithm = "oracle-average",
               .algorithm_toml = "solver = \"sgd\"\nsgd = { curvature = 1, steps = 1, epsilon = 1e-9 }",
               .model_toml = "l2 = 1"});
  run.start({{0.0}, {0.0}});
  run.round({0, 1, 2});
  // The step of length 1 from 0 leads to y; the minima are y / 2.
  EXPECT_NEAR(run.models()[0][0], -3, 1e-14);
  std::vector<Event> events = run.fleet->take_events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, "inexact");
  EXPECT_EQ(events[0].numbers[0].second, 3);
}

}  // namespace
}  // namespace coterie::oracle_average_test
