// FeSEM on two clients, by hand.
#include <gtest/gtest.h>

#include "algorithms/tiers/program.h"
#include "support/tiny_federation.h"

namespace coterie::fesem_test {
namespace {

TinyRun::Choices choices() {
  TinyRun::Choices some;
  some.algorithm = "fesem";
  some.clusters = 2;
  return some;
}

std::uint32_t home(const TinyRun& run, ClientId client) {
  return dynamic_cast<const Tiered&>(*run.algorithm).clusters().home(client);
}

TEST(FeSem, JoinsTheModelNearestToWhatItTrained) {
  // Client 0 is told to train model 0; y = 10 takes it from 0 to 1, where model 1 is.
  TinyRun run({{{{1}}, {10}, 0}, {{{1}}, {0}, 0}}, choices());
  run.algorithm->start(*run.fleet, {{{0.0}, {1.1}}, {0, 0}});
  run.round({0, 1});
  EXPECT_NEAR(run.models()[0][0], 0.0, 1e-14);
  EXPECT_NEAR(run.models()[1][0], 1.0, 1e-14) << "it takes along what it trained";
  EXPECT_EQ(home(run, 0), 1u);
  EXPECT_EQ(home(run, 1), 0u);
}

TEST(FeSem, ChoosesByLossAtItsFirstTurnAndIsSentOneModelAfterwards) {
  TinyRun run({{{{1}}, {3}, 0}, {{{1}}, {0}, 0}}, choices());
  run.start({{0.0}, {4.0}});
  run.round({0});
  EXPECT_NEAR(run.models()[1][0], 3.9, 1e-14);
  EXPECT_EQ(run.models()[0][0], 0.0);
  EXPECT_EQ(run.fleet->traffic().down, 2u * 8);
  run.round({0});
  EXPECT_EQ(run.fleet->traffic().down, 3u * 8);
}

TEST(FeSem, AClusterWithoutClientsKeepsItsModel) {
  TinyRun run({{{{1}}, {0}, 0}}, choices());
  run.start({{0.5}, {100.0}});
  for (int t = 0; t < 3; ++t) run.round({0});
  EXPECT_EQ(run.models()[1][0], 100.0);
}

}  // namespace
}  // namespace coterie::fesem_test
