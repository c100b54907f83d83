#include <gtest/gtest.h>

#include "algorithms/personal_models.h"

namespace coterie::ditto_test {
namespace {

// The common model goes from 0 to the mean of 0.2 and 0.4; own models are pulled towards it.
TEST(Ditto, OwnModelsArePulledTowardsTheCommonOne) {
  TinyRun run({wants(2), wants(4)}, {.algorithm = "ditto", .algorithm_toml = "lambda = 1.0"});
  run.start({{0.0}});
  run.round({0, 1});
  EXPECT_NEAR(run.models()[0][0], 0.3, 1e-14);
  EXPECT_NEAR(model_of(run, 0), 0.2, 1e-14);
  EXPECT_NEAR(model_of(run, 1), 0.4, 1e-14);
  run.round({0});  // (0.2 - 2) + (0.2 - 0.3)
  EXPECT_NEAR(model_of(run, 0), 0.2 + 0.1 * 1.9, 1e-14);
  EXPECT_NEAR(run.models()[0][0], 0.3 + 0.1 * 1.7, 1e-14);
}

TEST(Ditto, WithoutPullIsLocal) {
  TinyRun run({wants(2), wants(4)}, {.algorithm = "ditto", .algorithm_toml = "lambda = 0.0"});
  TinyRun local({wants(2), wants(4)}, {.algorithm = "local"});
  for (TinyRun* one : {&run, &local}) {
    one->start({{0.0}});
    for (int t = 0; t < 3; ++t) one->round({0, 1});
  }
  EXPECT_EQ(model_of(run, 0), model_of(local, 0));
  EXPECT_EQ(model_of(run, 1), model_of(local, 1));
}

// Own models learn 0.1 times their gaps, 1.8 and 3.6 in round 2, and are pulled by 0.1 times 0.5 times where
// they were.
TEST(Ditto, TheCommonModelMayStayAsItBegan) {
  TinyRun run({wants(2), wants(4)},
              {.algorithm = "ditto", .algorithm_toml = "lambda = 0.5\nlearn = \"nothing\""});
  run.start({{0.0}});
  run.round({0, 1});
  EXPECT_NEAR(model_of(run, 0), 0.2, 1e-14);
  run.round({0, 1});
  EXPECT_EQ(run.models()[0][0], 0.0);
  EXPECT_NEAR(model_of(run, 0), 0.2 + 0.18 - 0.05 * 0.2, 1e-14);
  EXPECT_NEAR(model_of(run, 1), 0.4 + 0.36 - 0.05 * 0.4, 1e-14);
}

// Its loss is a number, its gradient 1e160 times 1e150 is none.
TEST(Ditto, WhoDivergesKeepsItsModelWhereTheCommonOneStays) {
  TinyRun run({wants(2), {{{1e160}}, {1e160 - 1e150}, 0}, wants(4)},
              {.algorithm = "ditto", .algorithm_toml = "lambda = 0.5\nlearn = \"nothing\""});
  run.start({{1.0}});
  run.round({0, 1, 2});
  EXPECT_NEAR(model_of(run, 0), 1.1, 1e-14);
  EXPECT_EQ(model_of(run, 1), 1e160) << "it predicts by 1, the common model";
}

TEST(Ditto, WhoWasNeverAskedHasTheCommonModel) {
  TinyRun run({wants(2), wants(4)}, {.algorithm = "ditto"});
  run.start({{0.0}});
  run.round({0});
  EXPECT_NEAR(model_of(run, 1), 0.2, 1e-14);
}

}  // namespace
}  // namespace coterie::ditto_test
