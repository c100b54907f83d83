// StoCFL on instances of a few clients, worked out by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "algorithms/tier_states.h"
#include "support/tiny_federation.h"

namespace coterie::stocfl_test {
namespace {

// A client whose best model is (a, b): its loss is |w - (a, b)|^2 / 4, a step of size 2 takes it there, and
// its gradient at (0, 0) points the other way.
TinyFederation::Client at(double a, double b) { return {{{1, 0}, {0, 1}}, {a, b}, 0}; }
TinyFederation::Client at_angle(double degrees, double length = 1) {
  const double angle = degrees * std::numbers::pi / 180;
  return at(length * std::cos(angle), length * std::sin(angle));
}

TinyRun::Choices choices(const std::string& toml) {
  TinyRun::Choices out;
  out.algorithm = "stocfl";
  out.algorithm_toml = toml;
  out.solver_toml = "rate = 2.0\nsteps = 1";
  return out;
}

std::vector<std::size_t> homes(const TinyRun& run) {
  std::vector<std::size_t> out;
  for (ClientId i = 0; i < run.federation.size(); ++i) {
    const Items items = run.algorithm->offer_items(i);
    std::size_t k = 0;
    while (!items.has(k)) ++k;
    out.push_back(items.has(0) && items.has(1) ? 99 : k);
  }
  return out;
}

using Homes = std::vector<std::size_t>;

TEST(StoCfl, PlacesClientsAtTheirFirstTurn) {
  TinyRun run({at(1, 0), at(0, 1), at(1, 0.1), at(0, 2)}, choices("tau = 0.9\nprox = 0.0"));
  run.start({{0, 0}});
  run.round({0, 1});
  ASSERT_EQ(run.models().size(), 2u);
  EXPECT_EQ(homes(run), (Homes{0, 1, 99, 99}));
  EXPECT_NEAR(run.models()[0][0], 1, 1e-12);
  EXPECT_NEAR(run.models()[1][1], 1, 1e-12);
  run.round({2, 3});
  EXPECT_EQ(homes(run), (Homes{0, 1, 0, 1}));
  EXPECT_NEAR(run.models()[0][1], 0.1, 1e-12);
  EXPECT_NEAR(run.models()[1][1], 2, 1e-12);
}

// 0 and 50 degrees are too far apart for tau = 0.85, but 25 is near to both: cos 25 = 0.906.
TEST(StoCfl, ClustersMergeWhenANewcomerJoinsThemAndTheLargerHasTheModel) {
  TinyRun run({at_angle(0), at_angle(50, 3), at_angle(25), at_angle(50, 3)},
              choices("tau = 0.85\nprox = 0.0"));
  run.start({{0, 0}});
  run.round({0, 1, 3});
  EXPECT_EQ(homes(run), (Homes{0, 1, 99, 1}));
  run.fleet->take_events();
  run.round({2});
  ASSERT_EQ(run.models().size(), 1u);
  EXPECT_EQ(homes(run), (Homes{0, 0, 0, 0}));
  bool merged = false;
  for (const Event& event : run.fleet->take_events()) {
    if (event.kind != "merged") continue;
    merged = true;
    EXPECT_EQ(event.clients, (std::vector<ClientId>{1, 3}));
    const std::vector<std::pair<std::string, double>> want = {
        {"cluster", 0},
        {"gone", 1},
        {"similarity", std::cos(25 * std::numbers::pi / 180)},
        {"tau", 0.85},
        {"clusters", 1}};
    ASSERT_EQ(event.numbers.size(), want.size());
    for (std::size_t j = 0; j < want.size(); ++j) {
      EXPECT_EQ(event.numbers[j].first, want[j].first);
      EXPECT_NEAR(event.numbers[j].second, want[j].second, 1e-12);
    }
  }
  EXPECT_TRUE(merged);
}

// Who came where, and by which cosine: 0 and 20 degrees meet, 90 is alone; then 10 comes between the first
// two, and 60 begins a third cluster.
TEST(StoCfl, EventsSayWhoJoinedWhatAndWhatStayedApart) {
  TinyRun run({at_angle(0), at_angle(20), at_angle(90), at_angle(10), at_angle(60)},
              choices("tau = 0.9\nprox = 0.0"));
  const auto cosine = [](double degrees) { return std::cos(degrees * std::numbers::pi / 180); };
  run.start({{0, 0}});
  run.fleet->take_events();
  run.round({0, 1, 2});
  std::vector<Event> events = run.fleet->take_events();
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].kind, "joined");
  EXPECT_EQ(events[0].clients, (std::vector<ClientId>{0, 1}));
  EXPECT_EQ(number(events[0], "cluster"), 0);
  EXPECT_EQ(number(events[0], "new"), 1);
  EXPECT_NEAR(number(events[0], "similarity"), cosine(20), 1e-12);
  EXPECT_EQ(events[1].clients, (std::vector<ClientId>{2}));
  EXPECT_EQ(number(events[1], "cluster"), 1);
  EXPECT_TRUE(std::isnan(number(events[1], "similarity"))) << "nobody is alike";
  EXPECT_EQ(events[2].kind, "apart");
  EXPECT_NEAR(number(events[2], "similarity"), cosine(70), 1e-12) << "clients 1 and 2 are the nearest";

  run.round({3, 4});
  events = run.fleet->take_events();
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].clients, (std::vector<ClientId>{3}));
  EXPECT_EQ(number(events[0], "cluster"), 0);
  EXPECT_EQ(number(events[0], "new"), 0);
  EXPECT_NEAR(number(events[0], "similarity"), 1, 1e-12) << "the sum of 0 and 20 degrees points to 10";
  EXPECT_EQ(events[1].clients, (std::vector<ClientId>{4}));
  EXPECT_EQ(number(events[1], "cluster"), 2);
  EXPECT_NEAR(number(events[2], "similarity"), cosine(30), 1e-12) << "90 and 60 degrees";
}

// Round 1 from (0, 0): both train to (1, 0) and (0, 1), without a pull since all begin at the mean. Round 2:
// the mean is (1/2, 1/2), and client 0 steps by -2 [0 + prox ((1, 0) - (1/2, 1/2))] with prox = 0.1.
TEST(StoCfl, PullsTowardsTheMeanOfAll) {
  TinyRun run({at(1, 0), at(0, 1)}, choices("tau = 0.9\nprox = 0.1"));
  run.start({{0, 0}});
  run.round({0, 1});
  EXPECT_NEAR(run.models()[0][0], 1, 1e-12);
  run.round({0});
  EXPECT_NEAR(run.models()[0][0], 0.9, 1e-12);
  EXPECT_NEAR(run.models()[0][1], 0.1, 1e-12);
  EXPECT_NEAR(run.models()[1][1], 1, 1e-12);
}

// A new cluster begins at the mean of what was trained in the last round.
TEST(StoCfl, ANewClusterBeginsWithTheMeanOfAll) {
  TinyRun::Choices slow = choices("tau = 0.9\nprox = 0.0");
  slow.solver_toml = "rate = 1e-9\nsteps = 1";
  TinyRun run({at(1, 0), at(0, 1)}, slow);
  run.start({{0.5, 0.25}});
  run.round({0});
  run.round({1});
  ASSERT_EQ(run.models().size(), 2u);
  EXPECT_NEAR(run.models()[1][0], 0.5, 1e-8);
  EXPECT_NEAR(run.models()[1][1], 0.25, 1e-8);
}

TEST(StoCfl, ARoundInWhichNobodyCanBeHeardEndsTheRun) {
  TinyRun run({at(NAN, 0), at(0, NAN), at(1, 0)}, choices("tau = 0.9"));
  run.start({{0, 0}});
  EXPECT_THROW(run.round({0, 1}), BelowQuorum);
  run.round({2});
  EXPECT_NO_THROW(run.round({0, 1, 2})) << "newcomers' faults alone do not";
}

TEST(StoCfl, ATraceIsAskedForOnce) {
  TinyRun run({at(1, 0), at(0, 1)}, choices("tau = 0.9\nprox = 0.0"));
  run.start({{0, 0}});
  run.round({0, 1});
  const std::uint64_t first = run.fleet->traffic().up;
  run.round({0, 1});
  EXPECT_EQ(first - (run.fleet->traffic().up - first), 2 * 2 * sizeof(double))
      << "two gradients of two numbers";
}

}  // namespace
}  // namespace coterie::stocfl_test
