// FedSoft on two clients, by hand.
#include <gtest/gtest.h>

#include "algorithms/tiers/program.h"
#include "support/tiny_federation.h"

namespace coterie {
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

}  // namespace
}  // namespace coterie
