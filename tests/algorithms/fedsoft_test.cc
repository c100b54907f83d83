// FedSoft on two clients, by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "algorithms/tiers/program.h"
#include "support/tiny_federation.h"

namespace coterie::fedsoft_test {
namespace {

constexpr double kFloor = 1e-4;

TEST(FedSoft, CountsTheSamplesThatEachModelFitsBest) {
  // Rows: model 0, model 1 (the lowest loss, not the highest), and the first of equals.
  const Vec shares = loss_shares({{0.1, 5, 1}, {2, 0.5, 1}, {9, 9, 9}}, 0.25);
  const double all = 2.0 / 3 + 1.0 / 3 + 0.25;
  EXPECT_NEAR(shares[0], 2.0 / 3 / all, 1e-15);
  EXPECT_NEAR(shares[1], 1.0 / 3 / all, 1e-15);
  EXPECT_NEAR(shares[2], 0.25 / all, 1e-15);
}

TEST(FedSoft, PullsAModelOfItsOwnTowardsItsClustersAndAveragesByWeights) {
  TinyRun::Choices choices;
  choices.algorithm = "fedsoft";
  choices.algorithm_toml = "prox = 0.5\nestimate_every = 1";
  choices.clusters = 2;
  TinyRun run({{{{1}, {1}}, {0, 2}, 0}, {{{1}}, {2}, 0}}, choices);
  run.start({{0.0}, {2.0}});
  run.round({0, 1});
  // Client 0: u = (1/2, 1/2), centre 1, begins at model 0: 0 - 0.1 (-1 + 0.5 (0 - 1)).
  const double first = 0.15;
  // Client 1: u = (floor, 1) / (1 + floor), centre 2 / (1 + floor), begins at model 1.
  const double u = kFloor / (1 + kFloor);
  const double second = 2 - 0.1 * 0.5 * (2 - 2 / (1 + kFloor));
  EXPECT_NEAR(run.models()[0][0], (0.5 * 2 * first + u * second) / (1 + u), 1e-13);
  EXPECT_NEAR(run.models()[1][0], (0.5 * 2 * first + (1 - u) * second) / (1 + 1 - u), 1e-13);

  // Its own model persists: it goes on from 0.15, whatever the clusters' models are.
  const double a = run.models()[0][0], b = run.models()[1][0];
  run.round({0});
  const double share = 0.5;  // y = 0 fits a, y = 2 fits b
  const double again = first - 0.1 * ((first - 1) + 0.5 * (first - share * (a + b)));
  EXPECT_NEAR(run.models()[0][0], again, 1e-13) << "the only one asked";
}

// Three clients with a row each, who want -5, 0.9 and 2. The first two begin with the model at 0, which they
// draw to about -2: from then on the one at 2 would fit the client of 0.9 better. It finds out in round 3.
TEST(FedSoft, WeightsStayInTheRoundBetweenEstimates) {
  const Vec targets = {-5, 0.9, 2};
  constexpr double kShare = 0.25, kProx = 0.1;
  TinyRun::Choices choices;
  choices.algorithm = "fedsoft";
  choices.algorithm_toml = "estimate_every = 2\nfloor = 0.25";
  choices.solver_toml = "rate = 1.0\nsteps = 1";
  choices.clusters = 2;
  TinyRun run({{{{1}}, {targets[0]}, 0}, {{{1}}, {targets[1]}, 0}, {{{1}}, {targets[2]}, 0}}, choices);
  Vec models = {0, 2}, own;
  run.start({{models[0]}, {models[1]}});
  std::vector<Vec> shares(3);
  std::vector<std::size_t> homes;  // of the client of 0.9
  for (int t = 1; t <= 3; ++t) {
    for (std::size_t i = 0; i < 3; ++i) {
      const bool first = std::fabs(targets[i] - models[0]) <= std::fabs(targets[i] - models[1]);
      const Vec fresh =
          first ? Vec{1 / (1 + kShare), kShare / (1 + kShare)} : Vec{kShare / (1 + kShare), 1 / (1 + kShare)};
      if (t == 2 && i == 1) {
        EXPECT_NE(fresh, shares[i]) << "it would change";
      }
      if (t != 2) shares[i] = fresh;
      if (t == 1) own.push_back(models[first ? 0 : 1]);
      const double centre = shares[i][0] * models[0] + shares[i][1] * models[1];
      own[i] -= (own[i] - targets[i]) + kProx * (own[i] - centre);
    }
    for (std::size_t k = 0; k < 2; ++k) {
      double sum = 0, total = 0;
      for (std::size_t i = 0; i < 3; ++i) {
        sum += shares[i][k] * own[i];
        total += shares[i][k];
      }
      models[k] = sum / total;
    }
    run.round({0, 1, 2});
    const Clusters& known = dynamic_cast<const Tiered&>(*run.algorithm).clusters();
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_NEAR(run.models()[k][0], models[k], 1e-12) << t << k;
      for (std::size_t i = 0; i < 3; ++i)
        EXPECT_NEAR(known.weights[i][k], shares[i][k], 1e-12) << t << i << k;
    }
    homes.push_back(known.home(1));
  }
  EXPECT_EQ(homes, (std::vector<std::size_t>{0, 0, 1}));
}

}  // namespace
}  // namespace coterie::fedsoft_test
