#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/tiny_federation.h"

namespace coterie::restarts_test {
namespace {

// Two groups of clients at +3 and -3: from most random starts near zero both models would do, but a start
// whose models lie on the same side leaves one group badly served for a while.
std::vector<TinyFederation::Client> two_groups() {
  std::vector<TinyFederation::Client> clients;
  for (int i = 0; i < 6; ++i) clients.push_back({{{1}}, {i < 3 ? 3.0 : -3.0}, i < 3 ? 0u : 1u});
  return clients;
}

struct Tried {
  explicit Tried(const std::string& toml, const std::string& model = "")
      : run(two_groups(), {.algorithm = "ifca", .model_toml = model, .clusters = 2}) {
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

// How clients at +3 and -3 choose between two models: the share of the less chosen one.
double least_share(const std::vector<Vec>& models) {
  double first = 0;
  for (double y : {3.0, 3.0, 3.0, -3.0, -3.0, -3.0}) {
    first += std::abs(models[0][0] - y) <= std::abs(models[1][0] - y) ? 1 : 0;
  }
  return std::min(first, 6 - first) / 6;
}

std::size_t count_of(const std::vector<Event>& events, const std::string& kind) {
  std::size_t count = 0;
  for (const Event& e : events) count += e.kind == kind ? 1 : 0;
  return count;
}

// Models are numbers: every client at +3 takes the larger one and every client at -3 the smaller, so the
// first draw is as even as can be, and nothing is trained.
TEST(Restarts, BalanceTakesTheFirstDrawThatClientsChooseEvenly) {
  Tried tried("rule = \"balance\"\nshare_asked = 1");
  EXPECT_EQ(tried.start.models, random_models(*tried.run.setting, 2, 0));
  EXPECT_EQ(least_share(tried.start.models), 0.5);
  EXPECT_EQ(tried.logged, 1);
  EXPECT_EQ(count_of(tried.events, "restart"), 1u);
  EXPECT_EQ(count_of(tried.events, "unbalanced"), 0u);
  EXPECT_EQ(tried.run.fleet->traffic().down, 6u * 2 * 8);
  EXPECT_EQ(tried.run.fleet->traffic().up, 6u * 4);
}

// Clients prefer as they would in training: with a large L2 term all of them the shorter model.
TEST(Restarts, BalanceIsOfObjectives) {
  const Tried tried("rule = \"balance\"\nshare_asked = 1\ntrials = 3", "l2 = 1000.0");
  EXPECT_EQ(count_of(tried.events, "unbalanced"), 1u);
}

TEST(Restarts, BalanceAsksAShareOfClientsButOneForEachModel) {
  Tried half("rule = \"balance\"\nshare_asked = 0.5\nthreshold = 0");
  EXPECT_EQ(half.run.fleet->traffic().up, 3u * 4);
  Tried few("rule = \"balance\"\nthreshold = 0");
  EXPECT_EQ(few.run.fleet->traffic().up, 2u * 4) << "a tenth of 6 is less than 2";
}

TEST(Restarts, BalanceTakesTheMostEvenDrawWhenNoneIsEvenEnough) {
  Tried tried("rule = \"balance\"\nshare_asked = 1\nthreshold = 0.9\ntrials = 4");
  EXPECT_EQ(tried.logged, 4);
  EXPECT_EQ(count_of(tried.events, "restart"), 4u);
  EXPECT_EQ(count_of(tried.events, "unbalanced"), 1u);
  double most = 0;
  for (std::uint32_t trial = 0; trial < 4; ++trial) {
    most = std::max(most, least_share(random_models(*tried.run.setting, 2, trial)));
  }
  EXPECT_EQ(least_share(tried.start.models), most);
}

// Everybody is at +3, so one model is always left without a client: with three models as with two.
TEST(Restarts, BalanceOfOneGroupIsNeverReached) {
  std::vector<TinyFederation::Client> clients(5, {{{1}}, {3.0}, 0});
  clients[2].y[0] = std::nan("");
  TinyRun run(clients, {.algorithm = "ifca", .clusters = 3});
  auto init = make_plugin<Init>("restarts", "rule = \"balance\"\nshare_asked = 1\ntrials = 3");
  Start start = init->make({*run.fleet, *run.setting, *run.algorithm, [](std::uint32_t) {}});
  EXPECT_EQ(start.models, random_models(*run.setting, 3, 0)) << "the first of equals";
  auto events = run.fleet->take_events();
  EXPECT_EQ(count_of(events, "unbalanced"), 1u);
  EXPECT_EQ(count_of(events, "rejected"), 3u) << "a client whose losses are not finite chooses nothing";
  EXPECT_NEAR(events.back().numbers[0].second, 0.4 / 3, 1e-15) << "the usual threshold of three";
}

TEST(Restarts, AClientWithoutAUsableLossDoesNotSpoilTheTrials) {
  std::vector<TinyFederation::Client> clients(5, {{{1}}, {3.0}, 0});
  clients[2].y[0] = std::nan("");
  TinyRun run(clients, {.algorithm = "ifca", .clusters = 2});
  auto init = make_plugin<Init>("restarts", "trials = 3\nrounds = 2");
  EXPECT_EQ(init->make({*run.fleet, *run.setting, *run.algorithm, [](std::uint32_t) {}}).models.size(), 2u);
}

TEST(Restarts, BalanceOfOneModelOrOneClient) {
  TinyRun one({{{{1}}, {3}, 0}}, {.algorithm = "ifca", .clusters = 1});
  auto init = make_plugin<Init>("restarts", "rule = \"balance\"");
  EXPECT_EQ(init->make({*one.fleet, *one.setting, *one.algorithm, [](std::uint32_t) {}}).models,
            random_models(*one.setting, 1, 0));
  EXPECT_EQ(count_of(one.fleet->take_events(), "unbalanced"), 0u);
  TinyRun two({{{{1}}, {3}, 0}}, {.algorithm = "ifca", .clusters = 2});
  EXPECT_EQ(init->make({*two.fleet, *two.setting, *two.algorithm, [](std::uint32_t) {}}).models.size(), 2u);
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

// 30 clients, of whom 20 (ten a model) train in the trials; the models go down to those, and what they are
// scored by too.
TEST(Restarts, TrialsAreForAPartOfTheClients) {
  std::vector<TinyFederation::Client> many;
  for (int i = 0; i < 30; ++i) many.push_back({{{1}}, {i % 2 == 0 ? 3.0 : -3.0}, i % 2 == 0 ? 0u : 1u});
  const auto bytes = [&](const std::string& toml) {
    TinyRun run(many, {.algorithm = "ifca", .clusters = 2});
    make_plugin<Init>("restarts", "trials = 1\nrounds = 1\n" + toml)
        ->make({*run.fleet, *run.setting, *run.algorithm, [](std::uint32_t) {}});
    return run.fleet->traffic().down;
  };
  EXPECT_EQ(bytes("clients = 5") * 30, bytes("clients = 0") * 20);
  EXPECT_EQ(bytes("clients = 25") * 30, bytes("clients = 0") * 25);
  EXPECT_EQ(bytes(""), bytes("clients = 0"));
}

}  // namespace
}  // namespace coterie::restarts_test
