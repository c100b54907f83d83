// IFCA's equations on instances of three clients, worked out by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/tiny_federation.h"

namespace coterie {
namespace {

// Each client has the sample x = 1: its loss at theta is (theta - y)^2 / 2, its gradient theta - y.
const std::vector<TinyFederation::Client> kThree = {{{{1}}, {1}, 0}, {{{1}}, {2}, 0}, {{{1}}, {9}, 1}};

TinyRun::Choices option(const std::string& average, int steps = 1) {
  TinyRun::Choices choices;
  choices.algorithm = "ifca";
  choices.algorithm_toml = "average = \"" + average + "\"";
  choices.solver_toml = "rate = 0.1\nsteps = " + std::to_string(steps);
  choices.clusters = 2;
  choices.weights = "uniform";
  return choices;
}

TEST(Ifca, OptionOneDividesByAllClients) {
  TinyRun run(kThree, option("gradients"));
  run.start({{0.0}, {10.0}});
  run.round({0, 1, 2});
  // Clients 0 and 1 are nearer to 0, client 2 to 10; m = 3.
  EXPECT_NEAR(run.models()[0][0], 0 - 0.1 / 3 * ((0 - 1) + (0 - 2)), 1e-14);
  EXPECT_NEAR(run.models()[1][0], 10 - 0.1 / 3 * (10 - 9), 1e-14);
}

TEST(Ifca, OptionOneWithASubsetStillDividesByAllUnlessTold) {
  TinyRun all(kThree, option("gradients"));
  all.start({{0.0}, {10.0}});
  all.round({1, 2});
  EXPECT_NEAR(all.models()[0][0], 0.1 / 3 * 2, 1e-14);
  TinyRun::Choices choices = option("gradients");
  choices.algorithm_toml += "\ndivisor = \"cohort\"";
  TinyRun cohort(kThree, choices);
  cohort.start({{0.0}, {10.0}});
  cohort.round({1, 2});
  EXPECT_NEAR(cohort.models()[0][0], 0.1 / 2 * 2, 1e-14);
}

TEST(Ifca, OptionTwoAveragesLocallyTrainedModels) {
  TinyRun run(kThree, option("models", 2));
  run.start({{0.0}, {10.0}});
  run.round({0, 1, 2});
  // Two steps: 0 -> 0.1 -> 0.19 and 0 -> 0.2 -> 0.38; 10 -> 9.9 -> 9.81.
  EXPECT_NEAR(run.models()[0][0], (0.19 + 0.38) / 2, 1e-14);
  EXPECT_NEAR(run.models()[1][0], 9.81, 1e-13);
}

TEST(Ifca, WeighsBySamplesByDefault) {
  TinyRun::Choices choices = option("models");
  choices.weights = "samples";
  TinyRun run({{{{1}}, {1}, 0}, {{{1}, {1}, {1}}, {2, 2, 2}, 0}}, choices);
  run.start({{0.0}, {10.0}});
  run.round({0, 1});
  EXPECT_NEAR(run.models()[0][0], (1 * 0.1 + 3 * 0.2) / 4, 1e-14);
}

TEST(Ifca, AModelThatNobodyChoseStaysAndIsReportedOnce) {
  for (const char* average : {"models", "gradients"}) {
    TinyRun run(kThree, option(average));
    run.start({{0.0}, {100.0}});
    run.round({0, 1});
    run.round({0, 1});
    EXPECT_EQ(run.models()[1][0], 100.0);
    auto events = run.fleet->take_events();
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].kind, "empty-cluster");
    EXPECT_EQ(events[0].round, 1u);
  }
}

TEST(Ifca, ChoosesByTheMeanLossOverAllRowsAndTheFirstOfEquals) {
  // Rows x = 1, y = 0 and y = 4 are equally far from 1 and 3 on average.
  TinyRun run({{{{1}, {1}}, {0, 4}, 0}}, option("models"));
  run.start({{3.0}, {1.0}});
  run.round({0});
  EXPECT_NE(run.models()[0][0], 3.0);
  EXPECT_EQ(run.models()[1][0], 1.0);
}

TEST(Ifca, ALossThatIsNotFiniteNeverWins) {
  EXPECT_EQ(lowest(Vec{std::nan(""), 2, 1}), 2u);
  EXPECT_EQ(lowest(Vec{std::numeric_limits<double>::infinity(), 5}), 1u);
  EXPECT_EQ(lowest(Vec{std::nan(""), std::nan("")}), 0u);
  EXPECT_EQ(lowest(Vec{1, 1}), 0u);
}

TEST(Ifca, SendsAllModelsDownAndOneVectorWithTheChoiceAndItsLossUp) {
  TinyRun run(kThree, option("models"));
  run.start({{0.0}, {10.0}});
  run.round({0, 1, 2});
  EXPECT_EQ(run.fleet->traffic().down, 3u * 2 * 8);
  EXPECT_EQ(run.fleet->traffic().up, 3u * (8 + 4 + 8));
}

}  // namespace
}  // namespace coterie
