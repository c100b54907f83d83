// Naive integration, by hand: a backbone's weights with CFL's splitting.
#include <gtest/gtest.h>

#include <cmath>

#include "algorithms/tier_states.h"
#include "support/tiny_federation.h"

namespace coterie::hcfl_test {
namespace {

// A client whose best model is (a, b): its rows have losses (w_1 - a)^2 / 2 and (w_2 - b)^2 / 2, and a step
// of size 2 with both counting in full takes it there.
TinyFederation::Client at(double a, double b) { return {{{1, 0}, {0, 1}}, {a, b}, 0}; }

TinyRun::Choices on(const std::string& backbone, const std::string& toml) {
  TinyRun::Choices choices;
  choices.algorithm = "hcfl";
  choices.algorithm_toml = "backbone = \"" + backbone + "\"\n" + toml;
  choices.solver_toml = "rate = 2.0\nsteps = 1";
  return choices;
}

// Updates from (0, 0) are the targets. They cancel, so the cluster splits, and both models stand where their
// clients want them. Then each client weighs the models: the first row of one at 1 has losses 0 and 2, its
// second row the same under both.
TEST(Hcfl, OnFedEmSplitsAsCflAndWeighsAsFedEm) {
  TinyRun run({at(1, 0), at(-1, 0), at(1, 0), at(-1, 0)}, on("fedem", "eps1 = 0.5\neps2 = 0.9"));
  run.start({{0, 0}});
  run.round({0, 1, 2, 3});
  const std::vector<Event> events = of_kind(*run.fleet, "split");
  ASSERT_EQ(events.size(), 1u);
  EXPECT_NEAR(number(events[0], "mean_update"), 0, 1e-12);
  EXPECT_NEAR(number(events[0], "longest_update"), 1, 1e-12);
  EXPECT_NEAR(number(events[0], "distance_across"), 2, 1e-12);
  EXPECT_NEAR(run.models()[0][0], 1, 1e-12);
  EXPECT_NEAR(run.models()[1][0], -1, 1e-12);
  for (ClientId i = 0; i < 4; ++i) EXPECT_EQ(clusters(run).weights[i], (Vec{0.5, 0.5})) << i;

  run.round({0, 1, 2, 3});
  ASSERT_EQ(run.models().size(), 2u) << "clusters of two stay whole";
  const double sure = 1 / (1 + std::exp(-2.0));
  EXPECT_NEAR(clusters(run).weights[0][0], (sure + 0.5) / 2, 1e-12);
  EXPECT_NEAR(clusters(run).weights[1][1], (sure + 0.5) / 2, 1e-12);
  // Model 0: its own two clients leave it at 1, the others pull it by 1 - sure towards -1.
  EXPECT_NEAR(run.models()[0][0], (2 * 1 + 2 * (1 - 2 * (1 - sure))) / 4, 1e-12);
  EXPECT_NEAR(run.models()[1][0], -run.models()[0][0], 1e-12);
}

// With pair_weights distances count by the weights of both clients, who do not belong wholly to their
// cluster; CFL has none.
TEST(Hcfl, OnFedEmDistancesAreThoseOfWeightedPairsIfAsked) {
  // The second model is so far off in the first coordinate that rows there are wholly the first one's; rows
  // of the second coordinate are shared. So weights are 3/4 and 1/4.
  TinyRun::Choices choices = on("fedem", "eps1 = 0.5\neps2 = 0.9\npair_weights = true");
  choices.clusters = 2;
  TinyRun run({at(1, 0), at(-1, 0), at(1, 0), at(-1, 0)}, choices);
  run.start({{0, 0}, {1000, 0}});
  run.round({0, 1, 2, 3});
  const std::vector<Event> events = of_kind(*run.fleet, "split");
  ASSERT_EQ(events.size(), 1u);
  EXPECT_NEAR(number(events[0], "distance_across"), 2 * 0.75 * 0.75, 1e-12);
  // Algorithm 4: what the first had, 3/4, is halved.
  for (ClientId i = 0; i < 4; ++i) {
    const Vec& weights = clusters(run).weights[i];
    ASSERT_EQ(weights.size(), 3u);
    for (const auto& [k, want] : {std::pair(0, 0.375), std::pair(1, 0.25), std::pair(2, 0.375)})
      EXPECT_NEAR(weights[static_cast<std::size_t>(k)], want, 1e-12) << i << k;
  }
}

// Clients keep models of their own, at 1 and -1 after the first round, and the split puts the clusters'
// there. Then the clients at 1 count both rows for model 0 (equal losses: the first), those at -1 one for
// each: the former are pulled to c, the latter to 0, each with 2 x 0.1 of the way.
TEST(Hcfl, OnFedSoftSplitsAsCflAndCountsAsFedSoft) {
  TinyRun run({at(1, 0), at(-1, 0), at(1, 0), at(-1, 0)},
              on("fedsoft", "eps1 = 0.5\neps2 = 0.9\nestimate_every = 1\nfloor = 0.25"));
  run.start({{0, 0}});
  run.round({0, 1, 2, 3});
  const std::vector<Event> events = of_kind(*run.fleet, "split");
  ASSERT_EQ(events.size(), 1u);
  EXPECT_NEAR(number(events[0], "mean_update"), 0, 1e-12);
  EXPECT_NEAR(number(events[0], "longest_update"), 1, 1e-12);
  EXPECT_NEAR(run.models()[0][0], 1, 1e-12);
  EXPECT_NEAR(run.models()[1][0], -1, 1e-12);

  run.round({0, 1, 2, 3});
  ASSERT_EQ(run.models().size(), 2u);
  const double u = 1 / 1.25;
  const Vec first = clusters(run).weights[0], second = clusters(run).weights[1];
  EXPECT_NEAR(first[0], u, 1e-12);
  EXPECT_NEAR(first[1], 1 - u, 1e-12);
  EXPECT_EQ(second, (Vec{0.5, 0.5}));
  const double c = u - (1 - u), one = 1 - 0.2 * (1 - c), other = -1 + 0.2;
  EXPECT_NEAR(run.models()[0][0], (u * one + 0.5 * other) / (u + 0.5), 1e-12);
  EXPECT_NEAR(run.models()[1][0], ((1 - u) * one + 0.5 * other) / (1 - u + 0.5), 1e-12);
}

// The second model fits the second row of clients 1 and 3, who count half for each: all four are in the first
// cluster, with shares 0.8 (of 1 : 0.25) and 0.5. It splits by the first coordinate, and each part's model
// is the mean of its clients' by these shares.
TEST(Hcfl, OnFedSoftPartsAreMeansByShares) {
  TinyRun::Choices choices = on("fedsoft", "eps1 = 0.5\neps2 = 0.9\nfloor = 0.25\nprox = 0.0");
  choices.clusters = 2;
  TinyRun run({at(1, 0), at(1, 0.6), at(-1, 0), at(-1, 0.6)}, choices);
  run.start({{0, 0}, {10, 0.6}});
  run.round({0, 1, 2, 3});
  const std::vector<Event> events = of_kind(*run.fleet, "split");
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(number(events[0], "cluster"), 0);
  ASSERT_EQ(run.models().size(), 3u);
  EXPECT_NEAR(run.models()[0][0], 1, 1e-12);
  EXPECT_NEAR(run.models()[2][0], -1, 1e-12);
  for (const std::size_t k : {0u, 2u}) EXPECT_NEAR(run.models()[k][1], 0.5 * 0.6 / 1.3, 1e-12) << k;
  EXPECT_NEAR(run.models()[1][0], 0, 1e-12);
  EXPECT_NEAR(run.models()[1][1], 2 * 0.5 * 0.6 / (2 * 0.5 + 2 * 0.2), 1e-12);
}

// The first round splits {14, 1} from {-2, -2, -11}: models at 7.5 and -5. In the second the client at 1 is
// nearer to -5 than to 7.5 and moves. What it trained began at 7.5: its update is -6.5, beside 3, 3 and -6.
TEST(Hcfl, OnFeSemMovesClientsByWhatTheyTrainedAndMeasuresUpdatesFromWhereTheyBegan) {
  TinyRun run({at(14, 0), at(1, 0), at(-2, 0), at(-2, 0), at(-11, 0)}, on("fesem", "eps1 = 2.0\neps2 = 6.2"));
  run.start({{0, 0}});
  run.round({0, 1, 2, 3, 4});
  ASSERT_EQ(run.models().size(), 2u);
  EXPECT_NEAR(run.models()[0][0], 7.5, 1e-12);
  EXPECT_NEAR(run.models()[1][0], -5, 1e-12);
  of_kind(*run.fleet, "split");

  run.round({0, 1, 2, 3, 4});
  const std::vector<Event> events = of_kind(*run.fleet, "split");
  ASSERT_EQ(events.size(), 1u);
  EXPECT_NEAR(number(events[0], "mean_update"), 6.5 / 4, 1e-12);
  EXPECT_NEAR(number(events[0], "longest_update"), 6.5, 1e-12);
  EXPECT_TRUE(run.algorithm->own_metrics(std::vector<ClientId>{0, 1}).empty())
      << "hard weights have no mixture";
  const std::vector<std::uint32_t> want = {0, 1, 2, 2, 1};
  for (ClientId i = 0; i < 5; ++i) EXPECT_EQ(clusters(run).home(i), want[i]) << i;
  EXPECT_NEAR(run.models()[0][0], 14, 1e-12);
  EXPECT_NEAR(run.models()[1][0], (1 - 11) / 2.0, 1e-12);
  EXPECT_NEAR(run.models()[2][0], -2, 1e-12);
}

}  // namespace
}  // namespace coterie::hcfl_test
