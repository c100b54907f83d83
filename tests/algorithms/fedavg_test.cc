#include <gtest/gtest.h>

#include "support/tiny_federation.h"

namespace coterie::fedavg_test {
namespace {

// One client with the sample x = 1, y = 2; another with x = 1, y = 4 three times.
const std::vector<TinyFederation::Client> kTwo = {{{{1}}, {2}, 0}, {{{1}, {1}, {1}}, {4, 4, 4}, 1}};

// One step of size 0.1 from 0 on (w - y)^2 / 2 goes to 0.1 y: 0.2 and 0.4.
TEST(FedAvg, AveragesBySamples) {
  TinyRun run(kTwo, {});
  run.start({{0.0}});
  run.round({0, 1});
  EXPECT_NEAR(run.models()[0][0], (1 * 0.2 + 3 * 0.4) / 4, 1e-14);
}

TEST(FedAvg, AveragesUniformlyWhenTold) {
  TinyRun run(kTwo, {.weights = "uniform"});
  run.start({{0.0}});
  run.round({0, 1});
  EXPECT_NEAR(run.models()[0][0], (0.2 + 0.4) / 2, 1e-14);
}

TEST(FedAvg, TakesTheCohortOnly) {
  TinyRun run(kTwo, {});
  run.start({{0.0}});
  run.round({1});
  EXPECT_NEAR(run.models()[0][0], 0.4, 1e-14);
}

TEST(FedAvg, SendsOneModelDownAndOneUp) {
  TinyRun run(kTwo, {});
  run.start({{0.0}});
  run.round({0, 1});
  EXPECT_EQ(run.fleet->traffic().down, 2u * 8);
  EXPECT_EQ(run.fleet->traffic().up, 2u * 8);
}

}  // namespace
}  // namespace coterie::fedavg_test
