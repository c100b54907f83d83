// CFL on instances of a few clients, worked out by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "algorithms/tier_states.h"
#include "support/tiny_federation.h"

namespace coterie::cfl_test {
namespace {

// A client whose best model is (a, b): its loss is |w - (a, b)|^2 / 4, and a step of size 2 takes it there.
TinyFederation::Client at(double a, double b, std::uint32_t truth = 0) {
  return {{{1, 0}, {0, 1}}, {a, b}, truth};
}

TinyRun::Choices choices(const std::string& toml) {
  TinyRun::Choices out;
  out.algorithm = "cfl";
  out.algorithm_toml = toml;
  out.solver_toml = "rate = 2.0\nsteps = 1";
  return out;
}

// The only model a client is offered.
std::size_t home(const TinyRun& run, ClientId client) {
  const Items items = run.algorithm->offer_items(client);
  std::size_t found = run.models().size();
  for (std::size_t k = 0; k < run.models().size(); ++k) {
    if (!items.has(k)) continue;
    EXPECT_EQ(found, run.models().size()) << "one model";
    found = k;
  }
  return found;
}

std::vector<Event> splits(TinyRun& run) {
  std::vector<Event> some;
  for (Event& event : run.fleet->take_events()) {
    if (event.kind == "split") some.push_back(std::move(event));
  }
  return some;
}

// Updates from (0, 0) are the targets themselves: {0, 3} against the rest, 1 + 1/sqrt 2 apart, and the rest
// in two kinds at a right angle, which part in the second round.
const std::vector<TinyFederation::Client> kSeven = {at(6, 0),  at(-3, 3),  at(-2, -2), at(6, 0),
                                                    at(-3, 3), at(-2, -2), at(-2, -2)};

TEST(Cfl, SplitsWhereTheMeanIsShortAndSomeUpdateIsLong) {
  TinyRun run(kSeven, choices("eps1 = 0.5\neps2 = 5.0"));
  run.start({{0, 0}});
  run.round({0, 1, 2, 3, 4, 5, 6});
  const std::vector<Event> events = splits(run);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_NEAR(number(events[0], "mean_update"), 0, 1e-12);
  EXPECT_NEAR(number(events[0], "longest_update"), 6, 1e-12);
  EXPECT_EQ(number(events[0], "eps1"), 0.5);
  EXPECT_EQ(number(events[0], "eps2"), 5);
  EXPECT_EQ(number(events[0], "undecided"), 0);
  EXPECT_EQ(events[0].text.find("choose anew"), std::string::npos);
  EXPECT_NEAR(number(events[0], "distance_within"), 1, 1e-12);
  EXPECT_NEAR(number(events[0], "distance_across"), 1 + std::sqrt(0.5), 1e-12);
  EXPECT_EQ(number(events[0], "stay"), 2);
  EXPECT_EQ(number(events[0], "go"), 5);
  EXPECT_EQ(number(events[0], "part"), 1);
  EXPECT_EQ(events[0].clients, (std::vector<ClientId>{1, 2, 4, 5, 6}));
  EXPECT_EQ(number(events[0], "clusters"), 2);
  ASSERT_EQ(run.models().size(), 2u);
  EXPECT_NEAR(run.models()[0][0], 6, 1e-12);
  EXPECT_NEAR(run.models()[1][0], -2.4, 1e-12);
  EXPECT_NEAR(run.models()[1][1], 0, 1e-12);
}

// Members of the second cluster are 1, 2, 4, 5, 6: their positions in it are other numbers than their ids.
TEST(Cfl, KnowsClientsByIdAfterTheSecondSplit) {
  TinyRun run(kSeven, choices("eps1 = 0.5\neps2 = 1.0"));
  run.start({{0, 0}});
  run.round({0, 1, 2, 3, 4, 5, 6});
  run.round({0, 1, 2, 3, 4, 5, 6});
  ASSERT_EQ(run.models().size(), 3u);
  const std::vector<std::size_t> want = {0, 1, 2, 0, 1, 2, 2};
  for (ClientId i = 0; i < 7; ++i) EXPECT_EQ(home(run, i), want[i]) << i;
  EXPECT_NEAR(run.models()[1][0], -3, 1e-12);
  EXPECT_NEAR(run.models()[1][1], 3, 1e-12);
  EXPECT_NEAR(run.models()[2][0], -2, 1e-12);
  EXPECT_NEAR(run.models()[2][1], -2, 1e-12);
}

// In the second round the longest update is (-0.6, 3): 3.0594 long, with no coordinate above 3.
TEST(Cfl, TheLongestUpdateIsALength) {
  for (const auto& [eps2, count] : {std::pair("3.05", 3u), std::pair("3.06", 2u)}) {
    TinyRun run(kSeven, choices(std::string("eps1 = 0.5\neps2 = ") + eps2));
    run.start({{0, 0}});
    run.round({0, 1, 2, 3, 4, 5, 6});
    run.round({0, 1, 2, 3, 4, 5, 6});
    EXPECT_EQ(run.models().size(), count) << eps2;
  }
}

TEST(Cfl, StaysWholeWhereTheMeanIsLong) {
  TinyRun run({at(6, 0), at(5, 1), at(5, -1)}, choices("eps1 = 0.5\neps2 = 1.0"));
  run.start({{0, 0}});
  run.round({0, 1, 2});
  EXPECT_EQ(run.models().size(), 1u);
  const std::vector<Event> events = of_kind(*run.fleet, "whole");
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(number(events[0], "eps1"), 0.5);
  EXPECT_EQ(number(events[0], "eps2"), 1);
}

// Clients have 2, 6 and 4 samples, so their updates 3, 1 and -2 have the mean (6 + 6 - 8) / 12: below eps1,
// which a plain mean, 2/3, is not.
TEST(Cfl, ClientsCountByTheirSamples) {
  const auto copies = [](double a, int count) {
    TinyFederation::Client client = at(a, 0);
    for (int c = 1; c < count; ++c) {
      for (std::size_t j = 0; j < 2; ++j) {
        client.x.push_back(Vec(client.x[j]));
        client.y.push_back(double(client.y[j]));
      }
    }
    return client;
  };
  TinyRun run({copies(3, 1), copies(1, 3), copies(-2, 2)}, choices("eps1 = 0.5\neps2 = 2.5"));
  run.start({{0, 0}});
  run.round({0, 1, 2});
  const std::vector<Event> events = splits(run);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_NEAR(number(events[0], "mean_update"), 1.0 / 3, 1e-12);
  EXPECT_NEAR(run.models()[0][0], (2 * 3 + 6 * 1) / 8.0, 1e-12);
  EXPECT_NEAR(run.models()[1][0], -2, 1e-12);
}

TEST(Cfl, WaitsForSplitAfterAndForThreeClients) {
  TinyRun late(kSeven, choices("eps1 = 0.5\neps2 = 5.0\nsplit_after = 1"));
  late.start({{0, 0}});
  late.round({0, 1, 2, 3, 4, 5, 6});
  EXPECT_EQ(late.models().size(), 1u);
  late.round({0, 1, 2, 3, 4, 5, 6});
  EXPECT_EQ(late.models().size(), 2u);
  TinyRun two({at(1, 0), at(-1, 0)}, choices("eps1 = 0.5\neps2 = 0.9"));
  two.start({{0, 0}});
  two.round({0, 1});
  EXPECT_EQ(two.models().size(), 1u);
}

// Client 5 is not asked in the round of its cluster's split. At its next turn it chooses the model nearest to
// its data.
TEST(Cfl, WhoWasNotAskedChoosesByLossAfterASplit) {
  TinyRun run(kSeven, choices("eps1 = 0.6\neps2 = 1.0"));
  run.start({{0, 0}});
  run.round({0, 1, 2, 3, 4, 5, 6});
  EXPECT_EQ(home(run, 5), 1u);
  run.round({0, 1, 2, 3, 4, 6});
  ASSERT_EQ(run.models().size(), 3u);
  const std::vector<Event> events = splits(run);
  EXPECT_EQ(number(events.back(), "undecided"), 1);
  EXPECT_NE(events.back().text.find("1 of its other members will choose anew"), std::string::npos);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_TRUE(run.algorithm->offer_items(5).has(k));
  run.round({0, 5});
  EXPECT_EQ(home(run, 5), 2u);
  EXPECT_EQ(home(run, 0), 0u);
}

// One step towards 1 or -1 in each round, v = v / 2 + gradient, w -= 0.1 v. Those who leave have no momentum
// in their new cluster yet; those who stay go on with that of the first round.
TEST(Cfl, ANewClusterHasAMomentumOfItsOwn) {
  TinyRun::Choices moving = choices("eps1 = 0.05\neps2 = 0.05");
  moving.solver_toml = "rate = 0.1\nsteps = 1\nmomentum = 0.5\nmomentum_survives = true";
  TinyRun run({{{{1}}, {1}, 0}, {{{1}}, {1}, 0}, {{{1}}, {-1}, 1}, {{{1}}, {-1}, 1}}, moving);
  run.start({{0.0}});
  run.round({0, 1, 2, 3});
  ASSERT_EQ(run.models().size(), 2u);
  EXPECT_NEAR(run.models()[0][0], 0.1, 1e-14);
  EXPECT_NEAR(run.models()[1][0], -0.1, 1e-14);
  run.round({0, 1, 2, 3});
  EXPECT_NEAR(run.models()[0][0], 0.1 + 0.1 * (0.5 * 1 + 0.9), 1e-14);
  EXPECT_NEAR(run.models()[1][0], -0.1 - 0.1 * 0.9, 1e-14);
}

TEST(Cfl, NeverHasMoreThanMost) {
  TinyRun run(kSeven, choices("eps1 = 0.5\neps2 = 1.0\nmost = 2"));
  run.start({{0, 0}});
  for (int t = 0; t < 3; ++t) run.round({0, 1, 2, 3, 4, 5, 6});
  EXPECT_EQ(run.models().size(), 2u);
}

}  // namespace
}  // namespace coterie::cfl_test
