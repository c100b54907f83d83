#include <gtest/gtest.h>

#include "support/tiny_federation.h"

namespace coterie::naive_average_test {
namespace {

// Own models: 2, 5 and -4.
const std::vector<TinyFederation::Client> kThree = {
    {{{1}}, {2}, 0}, {{{1}, {2}}, {5, 10}, 0}, {{{2}}, {-8}, 1}};

TEST(NaiveAverage, IsThePlainMeanOfAllOwnModels) {
  for (const char* weights : {"samples", "uniform"}) {
    TinyRun run(kThree, {.algorithm = "naive-average", .clusters = 2, .weights = weights});
    EXPECT_EQ(run.algorithm->start_models(), 1u);
    run.start({{7.0}});
    run.round({0, 1, 2});
    ASSERT_EQ(run.models().size(), 1u);
    EXPECT_NEAR(run.models()[0][0], 1, 1e-14) << weights;
  }
}

TEST(NaiveAverage, SendsAModelEachAndNothingDown) {
  TinyRun run(kThree, {.algorithm = "naive-average"});
  run.start({{7.0}});
  run.round({0, 1, 2});
  EXPECT_EQ(run.fleet->traffic().up, 3u * 8);
  EXPECT_EQ(run.fleet->traffic().down, 0u);
}

TEST(NaiveAverage, KeepsOwnModelsInTheBall) {
  TinyRun run(kThree, {.algorithm = "naive-average", .algorithm_toml = "radius = 3"});
  run.start({{7.0}});
  run.round({0, 1, 2});
  EXPECT_NEAR(run.models()[0][0], (2.0 + 3 - 3) / 3, 1e-7);
}

}  // namespace
}  // namespace coterie::naive_average_test
