#include <gtest/gtest.h>

#include "support/tiny_federation.h"

namespace coterie {
namespace {

// Two groups of clients at +3 and -3: from most random starts near zero both models would do, but a start
// whose models lie on the same side leaves one group badly served for a while.
std::vector<TinyFederation::Client> two_groups() {
  std::vector<TinyFederation::Client> clients;
  for (int i = 0; i < 6; ++i) clients.push_back({{{1}}, {i < 3 ? 3.0 : -3.0}, i < 3 ? 0u : 1u});
  return clients;
}

struct Tried {
  explicit Tried(const std::string& toml) : run(two_groups(), {.algorithm = "ifca", .clusters = 2}) {
    auto init = make_plugin<Init>("restarts", toml);
    start = init->make({*run.fleet, *run.setting, *run.algorithm, [&](std::uint32_t) { ++logged; }});
    events = run.fleet->take_events();
  }
  TinyRun run;
  Start start;
  int logged = 0;
  std::vector<Event> events;
};

TEST(Restarts, LogsEveryRoundAndTrial) {
  Tried tried("trials = 4\nrounds = 3");
  EXPECT_EQ(tried.logged, 12);
  std::size_t trials = 0;
  for (const Event& e : tried.events) trials += e.kind == "restart" ? 1 : 0;
  EXPECT_EQ(trials, 4u);
  EXPECT_GT(tried.run.fleet->traffic().down, 0u);
}

// The models handed on are those of the trial with the lowest loss: no other trial's models serve clients
// better.
TEST(Restarts, KeepsTheTrialWithTheLowestTrainingLoss) {
  Tried tried("trials = 6\nrounds = 5");
  double lowest_reported = 1e300;
  for (const Event& e : tried.events) {
    if (e.kind == "restart") lowest_reported = std::min(lowest_reported, e.numbers[1].second);
  }
  double loss = 0;
  for (double y : {3.0, 3.0, 3.0, -3.0, -3.0, -3.0}) {
    double best = 1e300;
    for (const Vec& model : tried.start.models) best = std::min(best, (model[0] - y) * (model[0] - y) / 2);
    loss += best / 6;
  }
  EXPECT_NEAR(loss, lowest_reported, 1e-12);
}

TEST(Restarts, OneTrialOfOneRoundIsARoundFromARandomStart) {
  Tried tried("trials = 1\nrounds = 1");
  std::vector<Vec> random = random_models(*tried.run.setting, 2, 0);
  TinyRun plain(two_groups(), {.algorithm = "ifca", .clusters = 2});
  plain.start(random);
  plain.round({0, 1, 2, 3, 4, 5});
  EXPECT_EQ(tried.start.models, plain.models());
}

TEST(Random, TheKthModelDoesNotDependOnHowMany) {
  TinyRun run(two_groups(), {.algorithm = "ifca", .clusters = 2});
  auto two = random_models(*run.setting, 2, 0);
  auto five = random_models(*run.setting, 5, 0);
  EXPECT_EQ(two[1], five[1]);
  EXPECT_NE(five[0], five[1]);
  EXPECT_NE(random_models(*run.setting, 1, 1)[0], two[0]) << "another trial, other models";
  auto init = make_plugin<Init>("random");
  EXPECT_EQ(init->make({*run.fleet, *run.setting, *run.algorithm, nullptr}).models, two);
}

}  // namespace
}  // namespace coterie
