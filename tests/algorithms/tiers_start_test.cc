// How methods made of tiers begin: with memberships, with several extractors, with a mean of all models.
#include <gtest/gtest.h>

#include "algorithms/tier_states.h"

namespace coterie::tiers_start_test {
namespace {

const std::vector<LabelledRow> kRows = {{{1.0, 0.5}, 0}, {{-1.0, 0.2}, 1}};

ClassRun::Choices choices(const std::string& algorithm, const std::string& options) {
  ClassRun::Choices out;
  out.algorithm = algorithm;
  out.algorithm_toml = options;
  return out;
}

GivenFederation alike(std::size_t clients) {
  return GivenFederation(std::vector<Samples>(clients, samples_of(kRows, 2)));
}

const std::vector<Vec> kModels = {{0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 9, 0}};

// Clients of soft rules begin with equal weights, and one of four is not enough to know that nobody is in the
// second cluster.
TEST(TierStart, SoftWeightsAreNotThoseOfAGivenMembership) {
  ClassRun run(alike(4), choices("hcfl-plus", "backbone = \"fedem\"\nrho = 2"));
  run.algorithm->start(*run.fleet, {kModels, {0, 0, 0, 0}});
  for (const Vec& weights : clusters(run).weights) EXPECT_TRUE(weights.empty());
  run.round({0});
  EXPECT_EQ(run.models().size(), 2u);
  run.round({1});
  EXPECT_EQ(run.models().size(), 1u) << "half of the clients are";
}

TEST(TierStart, HardOnesAre) {
  ClassRun run(alike(3), choices("fesem", ""));
  run.algorithm->start(*run.fleet, {kModels, {1, 0, kUnknownCluster}});
  EXPECT_EQ(clusters(run).home(0), 1u);
  EXPECT_EQ(clusters(run).home(1), 0u);
  EXPECT_EQ(clusters(run).home(2), kUnknownCluster);
}

TEST(TierStart, HeadsOfOtherExtractorsAreWarnedOf) {
  ClassRun::Choices mlp = choices("hcfl-plus", "");
  mlp.model = "mlp";
  mlp.model_toml = "hidden = [3]";
  ClassRun run(alike(1), mlp);
  const auto warnings = [&](const std::vector<Vec>& models) {
    run.start(models);
    return of_kind(*run.fleet, "warning").size();
  };
  std::vector<Vec> models = random_models(*run.setting, 2, 0);
  EXPECT_EQ(warnings(models), 0u) << "random heads were trained on nothing";
  models[1].back() += 1;
  EXPECT_EQ(warnings(models), 1u);
  const auto head = static_cast<std::ptrdiff_t>(run.model->head());
  std::copy(models[0].begin(), models[0].begin() + head, models[1].begin());
  EXPECT_EQ(warnings(models), 0u);
}

// One step of the model that fits, pulled to the mean of both: w - 0.1 (gradient + 0.5 (w - mean)).
TEST(TierStart, ThePullToAllModelsBeginsAtTheirMean) {
  ClassRun run(alike(1), choices("tiered", "prox = 0.5\nprox_to = \"all\""));
  const std::vector<Vec> models = {{1, 0, 0, 2, 0, 0}, {-3, 0, 1, 0, 0, 0}};
  run.start(models);
  run.round({0});
  ASSERT_EQ(clusters(run).home(0), 0u);
  const auto samples = run.federation.samples(0, Part::train, 0);
  Vec gradient(6);
  run.model->gradient(
      models[0], Batch<double>{2, 2, std::get<std::vector<double>>(samples->features), samples->targets, {}},
      gradient);
  for (std::size_t j = 0; j < 6; ++j) {
    const double pull = 0.5 * (models[0][j] - (models[0][j] + models[1][j]) / 2);
    EXPECT_NEAR(run.models()[0][j], models[0][j] - 0.1 * (gradient[j] + pull), 1e-14) << j;
  }
}

}  // namespace
}  // namespace coterie::tiers_start_test
