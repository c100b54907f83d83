#include <gtest/gtest.h>

#include "algorithms/personal_models.h"

namespace coterie::local_test {
namespace {

const std::vector<TinyFederation::Client> kThree = {{{{1}}, {2}, 0}, {{{1}}, {4}, 0}, {{{1}}, {8}, 0}};

TEST(Local, EveryClientTrainsAlone) {
  TinyRun run(kThree, {.algorithm = "local"});
  run.start({{0.0}});
  run.round({0, 1});
  run.round({1});
  EXPECT_NEAR(model_of(run, 0), 0.2, 1e-14);
  EXPECT_NEAR(model_of(run, 1), 0.4 + 0.1 * (4 - 0.4), 1e-14);
  EXPECT_EQ(model_of(run, 2), 0.0) << "never trained: still at the common start";
}

// Its loss is a number, its gradient 1e160 times 1e150 is none.
TEST(Local, WhoDivergesKeepsItsModel) {
  TinyRun run({{{{1}}, {2}, 0}, {{{1e160}}, {1e160 - 1e150}, 0}, {{{1}}, {8}, 0}}, {.algorithm = "local"});
  run.start({{1.0}});
  run.round({0, 1, 2});
  EXPECT_NEAR(model_of(run, 0), 1.1, 1e-14);
  EXPECT_EQ(model_of(run, 1), 1e160) << "it predicts by 1, the common start";
}

TEST(Local, SendsTheStartOnceAndNoModelBack) {
  TinyRun run(kThree, {.algorithm = "local"});
  run.start({{0.0}});
  run.round({0, 1});
  EXPECT_EQ(run.fleet->traffic().down, 2u * 8);
  run.round({0, 1, 2});
  EXPECT_EQ(run.fleet->traffic().down, 3u * 8);
  EXPECT_EQ(run.fleet->traffic().up, 5u * 8) << "a loss each";
}

}  // namespace
}  // namespace coterie::local_test
