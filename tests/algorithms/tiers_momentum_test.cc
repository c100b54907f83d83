// Momentum that survives with heads and extractor that are trained one after the other.
#include <gtest/gtest.h>

#include "algorithms/tier_states.h"

namespace coterie::tiers_momentum_test {
namespace {

const std::vector<LabelledRow> kRows = {{{1.0, 0.5}, 0}, {{-1.0, 0.2}, 1}, {{0.3, -2.0}, 1}};

Vec gradient(const ClassRun& run, const Vec& w) {
  const auto samples = run.federation.samples(0, Part::train, 0);
  const auto& x = std::get<std::vector<double>>(samples->features);
  Vec out(w.size());
  run.model->gradient(w, Batch<double>{3, 2, x, samples->targets, {}}, out);
  return out;
}

// Three rounds of  v = v / 2 + gradient,  w -= 0.1 v : first of the head, then of the extractor.
void check(const std::string& weights) {
  ClassRun::Choices choices;
  choices.algorithm = "tiered";
  choices.algorithm_toml = "extractor = true\nupdate = \"alternating\"";
  choices.tiers_toml = "weights = \"" + weights + "\"";
  choices.model = "mlp";
  choices.model_toml = "hidden = [3]";
  choices.solver_toml = "rate = 0.1\nsteps = 1\nmomentum = 0.5\nmomentum_survives = true";
  choices.clusters = 1;
  ClassRun run(GivenFederation({samples_of(kRows, 2)}), choices);
  run.start();
  Vec w = run.models()[0], v(w.size(), 0.0);
  const std::size_t head = run.model->head();
  for (int t = 0; t < 3; ++t) {
    run.round({0});
    for (const auto& [begin, end] : {std::pair(head, w.size()), std::pair(std::size_t{0}, head)}) {
      const Vec g = gradient(run, w);
      for (std::size_t j = begin; j < end; ++j) {
        v[j] = 0.5 * v[j] + g[j];
        w[j] -= 0.1 * v[j];
      }
    }
    for (std::size_t j = 0; j < w.size(); ++j) EXPECT_NEAR(run.models()[0][j], w[j], 1e-13) << t << j;
  }
}

TEST(TierMomentum, SurvivesWithHardWeights) { check("lowest-loss"); }
TEST(TierMomentum, SurvivesWithSoftWeights) { check("em"); }

// After a round in one cluster the server begins again with models of which the other fits better: the head
// that the client trains then has no momentum yet.
TEST(TierMomentum, OfAHeadIsNotThatOfAnother) {
  ClassRun::Choices choices;
  choices.algorithm = "tiered";
  choices.algorithm_toml = "extractor = true\nupdate = \"alternating\"";
  choices.model = "mlp";
  choices.model_toml = "hidden = [3]";
  choices.solver_toml = "rate = 0.5\nsteps = 1\nmomentum = 0.5\nmomentum_survives = true";
  ClassRun run(GivenFederation({samples_of(kRows, 2)}), choices);
  run.start();
  run.round({0});
  const std::size_t head = run.model->head(), first = clusters(run).home(0);
  std::vector<Vec> models = run.models();
  for (std::size_t j = head; j < models[first].size(); ++j) models[first][j] *= -20;
  run.start(models);
  run.round({0});
  const std::size_t second = clusters(run).home(0);
  ASSERT_NE(first, second);
  const Vec g = gradient(run, models[second]);
  for (std::size_t j = head; j < g.size(); ++j)
    EXPECT_NEAR(run.models()[second][j], models[second][j] - 0.5 * g[j], 1e-13) << j;
}

}  // namespace
}  // namespace coterie::tiers_momentum_test
