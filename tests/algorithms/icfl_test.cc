// ICFL on four clients, worked out by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "support/tiny_federation.h"

namespace coterie::icfl_test {
namespace {

TinyFederation::Client at(const Vec& target) { return {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, target, 0}; }

// Clients 1 and 3 are alike; 0 and 2 have a cosine of 0.9, and are at right angles to them. So the
// similarities have the singular values 2, 1.9, 0.1 and 0, and the coherence is 2/4. With steps this small
// updates keep their directions.
TinyRun four() {
  TinyRun::Choices choices;
  choices.algorithm = "icfl";
  choices.algorithm_toml = "alpha = 0.85\nslope = 4.0";
  choices.solver_toml = "rate = 1e-6\nsteps = 1";
  return TinyRun({at({1, 0, 0}), at({0, 0, 1}), at({0.9, std::sqrt(0.19), 0}), at({0, 0, 1})}, choices);
}

double bar(int round) { return 1 - std::exp(round * std::pow(1 - std::log(4.0), 2) / std::log(1 - 0.85)); }

TEST(Icfl, SplitsInTheRoundInWhichTheBarPassesTheCoherence) {
  ASSERT_LT(bar(8), 0.5);
  ASSERT_GT(bar(9), 0.5);
  TinyRun run = four();
  run.start({{0, 0, 0}});
  for (int t = 1; t <= 8; ++t) run.round({0, 1, 2, 3});
  EXPECT_EQ(run.models().size(), 1u);
  run.round({0, 1, 2, 3});
  ASSERT_EQ(run.models().size(), 2u);
  for (ClientId i = 0; i < 4; ++i) {
    EXPECT_EQ(run.algorithm->offer_items(i).has(0), i % 2 == 0) << i;
    EXPECT_EQ(run.algorithm->offer_items(i).has(1), i % 2 == 1) << i;
  }
  std::vector<Event> events = run.fleet->take_events();
  ASSERT_EQ(events.size(), 5u);
  for (std::size_t e = 0; e < 4; ++e) {  // rounds 1, 2, 4 and 8
    EXPECT_EQ(events[e].kind, "whole");
    EXPECT_EQ(events[e].numbers[2].first, "wanted");
    EXPECT_NEAR(events[e].numbers[2].second, bar(1 << e), 1e-12);
  }
  events.erase(events.begin(), events.begin() + 4);
  EXPECT_EQ(events[0].kind, "split");
  const std::vector<std::pair<std::string, double>> want = {
      {"cluster", 0}, {"coherence", 0.5}, {"wanted", bar(9)}, {"stay", 2},
      {"go", 2},      {"part", 1},        {"undecided", 0},   {"clusters", 2}};
  ASSERT_EQ(events[0].numbers.size(), want.size());
  for (std::size_t j = 0; j < want.size(); ++j) {
    EXPECT_EQ(events[0].numbers[j].first, want[j].first);
    EXPECT_NEAR(events[0].numbers[j].second, want[j].second, 1e-4) << want[j].first;
  }
}

// 0 and 2 have a coherence of (1 + 0.9) / 2, which the bar passes in round 39; 1 and 3 are the same, and
// never part.
TEST(Icfl, SplitsOnUntilClustersAreSingleOrOne) {
  ASSERT_LT(bar(38), 0.95);
  ASSERT_GT(bar(39), 0.95);
  TinyRun run = four();
  run.start({{0, 0, 0}});
  for (int t = 1; t <= 38; ++t) run.round({0, 1, 2, 3});
  EXPECT_EQ(run.models().size(), 2u);
  for (int t = 39; t <= 60; ++t) run.round({0, 1, 2, 3});
  EXPECT_EQ(run.models().size(), 3u);
}

}  // namespace
}  // namespace coterie::icfl_test
