// IFCA's equations on instances of three clients, worked out by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/tiny_federation.h"

namespace coterie::ifca_test {
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

// F_i(w) = (w - y)^2 / 2 + 0.1 w^2 of Algorithm 2, line 4, and of its steps: gradient w - y + 0.2 w. Client 0
// has y = 1: losses at 1.4 and 0.5 are 0.08 and 0.125, objectives 0.276 and 0.15.
TEST(Ifca, ChoosesByTheObjectiveThatItsStepsDescend) {
  for (const char* more : {"", "\nskip = \"none\"", "\nskip = \"bounds\"", "\nchoose_by = 1"}) {
    for (const char* average : {"models", "gradients"}) {
      TinyRun::Choices choices = option(average);
      choices.algorithm_toml += more;
      choices.model_toml = "l2 = 0.2";
      TinyRun run({{{{1}}, {1}, 0}}, choices);
      run.start({{1.4}, {0.5}});
      run.round({0});
      EXPECT_EQ(run.models()[0][0], 1.4) << average << more;
      EXPECT_NEAR(run.models()[1][0], 0.5 - 0.1 * (0.5 - 1 + 0.2 * 0.5), 1e-14) << average << more;
    }
  }
}

TEST(Ifca, ALossThatIsNotFiniteNeverWins) {
  EXPECT_EQ(lowest(Vec{std::nan(""), 2, 1}), 2u);
  EXPECT_EQ(lowest(Vec{std::numeric_limits<double>::infinity(), 5}), 1u);
  EXPECT_EQ(lowest(Vec{std::nan(""), std::nan("")}), 0u);
  EXPECT_EQ(lowest(Vec{1, 1}), 0u);
}

// Of two rows that want 1 and 9 one is drawn: the client chooses the model near it, not always the same; its
// mean loss over both would always choose the first.
TEST(Ifca, MayChooseByAFewRowsDrawnAnew) {
  const std::vector<TinyFederation::Client> client = {{{{1}, {1}}, {1, 8}, 0}};
  TinyRun::Choices choices = option("models");
  choices.algorithm_toml += "\nchoose_by = 1";
  choices.solver_toml = "rate = 1e-12\nsteps = 1";
  TinyRun run(client, choices);
  run.start({{0.0}, {10.0}});
  std::size_t moved[2] = {0, 0};
  for (int t = 0; t < 40; ++t) {
    const std::vector<Vec> before = run.models();
    run.round({0});
    for (std::size_t k = 0; k < 2; ++k) moved[k] += run.models()[k] != before[k];
  }
  EXPECT_EQ(moved[0] + moved[1], 40u);
  EXPECT_GT(moved[0], 5u);
  EXPECT_GT(moved[1], 5u);
}

// Client 2 wants 9; after a turn with model 1 its momentum is 1 (10 - 9). Then model 0 comes nearest.
TEST(Ifca, SurvivingMomentumIsEachModelsOrOne) {
  for (const bool one : {false, true}) {
    TinyRun::Choices choices = option("models");
    choices.algorithm_toml += one ? "\nmomentum = \"one\"" : "";
    choices.solver_toml = "rate = 0.1\nsteps = 1\nmomentum = 0.5\nmomentum_survives = true";
    TinyRun run({{{{1}}, {9}, 0}}, choices);
    run.start({{7.5}, {10.0}});
    run.round({0});  // model 1 becomes 9.9
    EXPECT_NEAR(run.models()[1][0], 9.9, 1e-14);
    run.start({{8.5}, {10.0}});  // clients keep their momentum
    run.round({0});
    EXPECT_NEAR(run.models()[0][0], 8.5 - 0.1 * (-0.5 + (one ? 0.5 * 1 : 0)), 1e-14) << one;
  }
}

TEST(Ifca, SendsAllModelsDownAndOneVectorWithTheChoiceAndItsLossUp) {
  TinyRun run(kThree, option("models"));
  run.start({{0.0}, {10.0}});
  run.round({0, 1, 2});
  EXPECT_EQ(run.fleet->traffic().down, 3u * 2 * 8);
  EXPECT_EQ(run.fleet->traffic().up, 3u * (8 + 4 + 8));
}

TinyRun::Choices with_intercept(const std::string& more) {
  TinyRun::Choices choices = option("models");
  choices.model_toml = "intercept = true";
  choices.algorithm_toml += "\n" + more;
  return choices;
}

TEST(Ifca, SharedLayersAreAveragedOverAllAndSentOnce) {
  TinyRun run(kThree, with_intercept("shared = ['weight']"));
  run.start({{0, 0}, {5, 10}});  // the shared weight is the first model's
  run.round({0, 1, 2});
  // Residuals at (w, b): 0 - 1 and 0 - 2 for clients 0 and 1; client 2 prefers b = 10, with 10 - 9.
  const std::vector<Vec> models = run.models();
  EXPECT_NEAR(models[0][0], (0.1 + 0.2 - 0.1) / 3, 1e-14);
  EXPECT_EQ(models[1][0], models[0][0]);
  EXPECT_NEAR(models[0][1], (0.1 + 0.2) / 2, 1e-14);
  EXPECT_NEAR(models[1][1], 9.9, 1e-14);
  // One weight and two biases down; a weight, a bias, the choice and its loss up.
  EXPECT_EQ(run.fleet->traffic().down, 3u * (8 + 2 * 8));
  EXPECT_EQ(run.fleet->traffic().up, 3u * (8 + 8 + 4 + 8));
}

TEST(Ifca, SharedLayersWorkWithGradientsToo) {
  TinyRun::Choices choices = with_intercept("shared = ['weight']");
  choices.algorithm_toml = "average = 'gradients'\nshared = ['weight']";
  TinyRun run(kThree, choices);
  run.start({{0, 0}, {0, 10}});
  run.round({0, 1, 2});
  EXPECT_NEAR(run.models()[0][0], -0.1 / 3 * (-1 - 2 + 1), 1e-14);
  EXPECT_NEAR(run.models()[0][1], -0.1 / 3 * (-1 - 2), 1e-14);
  EXPECT_NEAR(run.models()[1][1], 10 - 0.1 / 3 * 1, 1e-13);
}

TEST(Ifca, RefusesSharedLayersThatMakeNoSense) {
  EXPECT_THROW(TinyRun(kThree, with_intercept("shared = ['layer7']")), Error);
  EXPECT_THROW(TinyRun(kThree, with_intercept("shared = ['weight', 'bias']")), Error);
}

// Bytes sent down in each of some rounds with all three clients.
std::vector<std::uint64_t> bytes_down(TinyRun& run, int rounds) {
  std::vector<std::uint64_t> bytes;
  for (int t = 0; t < rounds; ++t) {
    const std::uint64_t before = run.fleet->traffic().down;
    run.round({0, 1, 2});
    bytes.push_back(run.fleet->traffic().down - before);
  }
  return bytes;
}

TEST(Ifca, AStableClientIsSentItsOwnModelOnly) {
  TinyRun::Choices choices = option("models");
  choices.algorithm_toml += "\nstable_after = 2\nrecheck = 5";
  TinyRun run(kThree, choices);
  run.start({{0.0}, {10.0}});
  // Two turns to become stable; round 5 looks around; 8 bytes a model.
  EXPECT_EQ(bytes_down(run, 7), (std::vector<std::uint64_t>{48, 48, 24, 24, 48, 24, 24}));
}

TEST(Ifca, ARecheckNoticesDrift) {
  TinyRun::Choices choices = option("models");
  choices.solver_toml = "rate = 0.5";
  choices.algorithm_toml += "\nstable_after = 1\nrecheck = 4";
  // Client 1 begins with model 0, which client 0 then draws away from it.
  TinyRun run({{{{1}}, {-10}, 0}, {{{1}}, {2}, 1}, {{{1}}, {5}, 1}}, choices);
  run.start({{0.0}, {5.0}});
  run.round({0, 1, 2});
  EXPECT_NEAR(run.models()[0][0], (-5.0 + 1.0) / 2, 1e-14);  // 4 away from client 1 now; model 1 is 3 away
  run.round({0, 1, 2});
  run.round({0, 1, 2});
  EXPECT_NEAR(run.models()[1][0], 5, 1e-14);  // client 1 was not sent it
  run.round({0, 1, 2});
  EXPECT_NEAR(run.models()[1][0], (3.5 + 5.0) / 2, 1e-14);
}

TEST(Ifca, ResamplingUsesFreshRowsForEveryChoiceAndUpdate) {
  TinyRun::Choices choices = option("models");
  choices.algorithm_toml += "\nresample = true";
  choices.clusters = 1;
  TinyRun run({{{{1}, {1}, {1}, {1}}, {10, 20, 30, 40}, 0}}, choices);
  run.start({{0.0}});
  // Two rounds, four parts of one row: each update is a tenth of the way to one target, and they differ.
  std::vector<double> targets;
  for (std::uint32_t t = 1; t <= 2; ++t) {
    const double before = run.models()[0][0];
    run.fleet->begin_round(t);
    run.algorithm->round(*run.fleet, {t, 2, {0}});
    targets.push_back(std::round((run.models()[0][0] - before) / 0.1 + before));
  }
  // The first and the third part are for choices.
  Stream stream(run.setting->seed, {Purpose::parts, 0, 1, 0});
  const std::vector<std::uint32_t> order = stream.permutation(4);
  EXPECT_EQ(targets, (std::vector<double>{10.0 * (order[1] + 1), 10.0 * (order[3] + 1)}));
}

TEST(Ifca, ResamplingNeedsTwoRowsARound) {
  TinyRun::Choices choices = option("models");
  choices.algorithm_toml += "\nresample = true";
  TinyRun run(kThree, choices);
  run.start({{0.0}, {10.0}});
  EXPECT_THROW(run.round({0, 1, 2}), Error);
}

TEST(Ifca, AnEmptyModelMayStartAgainNearTheWorst) {
  TinyRun::Choices choices = option("models");
  choices.algorithm_toml += "\nempty = 'reseed'";
  TinyRun run(kThree, choices);
  run.start({{1.0}, {1000.0}});
  run.round({0, 1, 2});
  const std::vector<Vec> models = run.models();
  EXPECT_NE(models[1][0], models[0][0]);
  EXPECT_NEAR(models[1][0], models[0][0], 0.6 * std::fabs(models[0][0]));  // six deviations of the noise
  const std::vector<Event> events = run.fleet->take_events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, "reseeded");
}

// Clients 0 and 1 are near model 0; client 2 is 7 away from model 1, which becomes 15.3. Nobody chooses
// model 2.
TEST(Ifca, AnEmptyModelStartsAgainNearTheOneOfTheHighestLoss) {
  TinyRun::Choices choices = option("models");
  choices.algorithm_toml += "\nempty = 'reseed'";
  choices.clusters = 3;
  TinyRun run(kThree, choices);
  run.start({{1.0}, {16.0}, {1000.0}});
  run.round({0, 1, 2});
  EXPECT_NEAR(run.models()[1][0], 15.3, 1e-12);
  EXPECT_NEAR(run.models()[2][0], 15.3, 6 * 1.53);
}

TEST(Ifca, AModelIsNotCalledEmptyBeforeHalfOfTheClientsHadATurn) {
  TinyRun run(kThree, option("models"));
  run.start({{0.0}, {10.0}});
  run.round({0});
  EXPECT_TRUE(run.fleet->take_events().empty());
  run.round({2});
  EXPECT_TRUE(run.fleet->take_events().empty());
  run.round({0, 1});  // client 2 is not asked, but its last choice is known
  EXPECT_TRUE(run.fleet->take_events().empty());
}

}  // namespace
}  // namespace coterie::ifca_test
