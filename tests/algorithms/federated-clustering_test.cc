#include <gtest/gtest.h>

#include <map>

#include "algorithms/federated-clustering_circles.h"
#include "algorithms/personal_models.h"
#include "support/attacked_run.h"

namespace coterie {
namespace {

// Gradients at any model w are w, w - 1 and w - 10.
const std::vector<TinyFederation::Client> kThree = {wants(0), wants(1), wants(10, 1)};

TinyRun::Choices choices(const std::string& toml) {
  return {.algorithm = "federated-clustering", .algorithm_toml = toml};
}
std::map<std::string, double> figures_of(const TinyRun& run, const std::vector<ClientId>& judged) {
  const auto all = run.algorithm->figures(judged);
  return {all.begin(), all.end()};
}

// At 0 the gradients are 0, -1 and -10: the first two are within 2 of each other, and step along their mean.
TEST(FederatedClustering, StepsAlongTheMeanOfGradientsInTheBall) {
  TinyRun run(kThree, choices("rule = \"fixed\"\nradius = 2"));
  run.start({{0.0}});
  run.round({0, 1, 2});
  EXPECT_NEAR(model_of(run, 0), 0.05, 1e-14);
  EXPECT_NEAR(model_of(run, 1), 0.05, 1e-14);
  EXPECT_NEAR(model_of(run, 2), 1.0, 1e-14);
  run.round({0, 1, 2});  // at its own model 0.05 the mean is 0.05 - 0.5
  EXPECT_NEAR(model_of(run, 0), 0.05 + 0.1 * 0.45, 1e-14);
  EXPECT_NEAR(model_of(run, 2), 1.0 + 0.1 * 9, 1e-14);
}

// One update (4) from the own gradient: whoever is outside of the ball counts as the centre.
TEST(FederatedClustering, TakesAsManyUpdatesAsAsked) {
  TinyRun run(kThree, choices("rule = \"fixed\"\nradius = 2\nsteps = 1"));
  run.start({{0.0}});
  run.round({0, 1, 2});
  EXPECT_NEAR(model_of(run, 0), 0.1 * (0 + 1 + 0) / 3, 1e-14);
  EXPECT_NEAR(model_of(run, 1), 0.1 * (0 + 1 + 1) / 3, 1e-14);
  EXPECT_NEAR(model_of(run, 2), 1.0, 1e-14);
}

TEST(FederatedClustering, GradientsAreTakenAtTheOwnersModel) {
  // Rows x = 2: the gradient at w is 2 (2 w - y), so that models matter.
  TinyRun run({{{{2}}, {0}, 0}, {{{2}}, {4}, 0}}, choices("rule = \"fixed\"\nradius = 100"));
  run.algorithm->start(*run.fleet, {{{1.0}, {3.0}}, {0, 1}});
  run.round({0, 1});
  EXPECT_NEAR(predictions_of(run, 0)[0], 2 * (1 - 0.1 * (4 - 4.0)), 1e-14) << "mean of 4 and -4 at 1";
  EXPECT_NEAR(predictions_of(run, 1)[0], 2 * (3 - 0.1 * 8), 1e-14) << "mean of 12 and 4 at 3";
}

TEST(FederatedClustering, WeighsBySamplesUnlessToldOtherwise) {
  const std::vector<TinyFederation::Client> clients = {wants(0), {{{1}, {1}, {1}}, {1, 1, 1}, 0}};
  TinyRun run(clients, choices("rule = \"fixed\"\nradius = 2"));
  run.start({{0.0}});
  run.round({0, 1});
  EXPECT_NEAR(model_of(run, 0), 0.1 * 0.75, 1e-14);
  TinyRun::Choices uniform = choices("rule = \"fixed\"\nradius = 2");
  uniform.weights = "uniform";
  TinyRun alike(clients, uniform);
  alike.start({{0.0}});
  alike.round({0, 1});
  EXPECT_NEAR(model_of(alike, 0), 0.1 * 0.5, 1e-14);
}

TEST(FederatedClustering, MomentumIsKeptByTheClient) {
  TinyRun run(kThree, choices("rule = \"fixed\"\nradius = 2\nmomentum = 0.5"));
  run.start({{0.0}});
  run.round({0, 1, 2});
  run.round({0, 1, 2});
  // v = -0.5, then 0.05 - 0.5; m = 0.5 (-0.5) - 0.45 = -0.7.
  EXPECT_NEAR(model_of(run, 0), 0.05 + 0.1 * 0.7, 1e-14);
}

TEST(FederatedClustering, FindsGroupsOfThoseInEachOthersBalls) {
  TinyRun run({wants(0), wants(10, 1), wants(1), wants(11, 1), wants(30, 2)},
              choices("rule = \"fixed\"\nradius = 2"));
  run.start({{0.0}});
  EXPECT_EQ(run.algorithm->groups(), (std::vector<std::uint32_t>{0, 1, 2, 3, 4})) << "nobody has met";
  run.round({0, 1, 2, 3, 4});
  EXPECT_EQ(run.algorithm->groups(), (std::vector<std::uint32_t>{0, 1, 0, 1, 2}));
  EXPECT_NEAR(figures_of(run, run.fleet->everyone())["neighbours"], (2 + 2 + 2 + 2 + 1) / 5.0, 1e-14);
}

TEST(FederatedClustering, FiguresAreAboutThoseWhoAreJudged) {
  TinyRun run(kThree, choices("rule = \"fixed\"\nradius = 2"));
  run.start({{0.0}});
  run.round({0, 1, 2});
  EXPECT_EQ(figures_of(run, {0, 1})["neighbours"], 2);
  EXPECT_EQ(figures_of(run, {2, 7})["neighbours"], 1);
}

TEST(FederatedClustering, ALinkLastsUntilBothHaveHadATurnApart) {
  TinyRun run(kThree, choices("rule = \"fixed\"\nradius = 2"));
  run.start({{0.0}});
  run.round({0, 1, 2});
  run.round({0, 2});
  EXPECT_EQ(run.algorithm->groups(), (std::vector<std::uint32_t>{0, 0, 1}));
  EXPECT_NEAR(model_of(run, 1), 0.05, 1e-14) << "not asked: it keeps its model";
  EXPECT_NEAR(model_of(run, 0), 0.05 - 0.1 * 0.05, 1e-14) << "alone, along its own gradient";
  run.round({1, 2});
  EXPECT_EQ(run.algorithm->groups(), (std::vector<std::uint32_t>{0, 1, 2}));
}

// Five clients in a ball that holds all: each has as many neighbours as its group has members.
TEST(FederatedClustering, GroupsThatDoNotDivideEvenlyDifferByOne) {
  const std::vector<TinyFederation::Client> five = {wants(0), wants(1), wants(2), wants(3), wants(4)};
  const std::vector<std::pair<std::string, double>> cases = {
      {"group_size = 2", 4 + 4 + 1}, {"group_size = 3", 9 + 4},     {"group_size = 9", 25},
      {"groups = 2", 9 + 4},         {"groups = 4", 4 + 1 + 1 + 1}, {"groups = 50", 5}};
  for (const auto& [toml, total] : cases) {
    TinyRun run(five, choices("rule = \"fixed\"\nradius = 1000\n" + toml));
    run.start({{0.0}});
    run.round({0, 1, 2, 3, 4});
    EXPECT_NEAR(figures_of(run, run.fleet->everyone())["neighbours"], total / 5, 1e-14) << toml;
  }
}

// A group of four takes 4 x (4 gradients + a model) of one number, 192 bytes, and 256 with what lists take;
// three of them at once would be refused.
TEST(FederatedClustering, AsManyGroupsAreAskedAtOnceAsTheFleetsMemoryAllows) {
  std::vector<TinyFederation::Client> clients;
  for (int i = 0; i < 12; ++i) clients.push_back(wants(i));
  TinyRun::Choices small = choices("group_size = 4\nrule = \"fixed\"\nradius = 100");
  small.fleet.memory = 300e-9;
  TinyRun run(clients, small);
  run.start({{0.0}});
  run.round(run.fleet->everyone());
  EXPECT_EQ(figures_of(run, run.fleet->everyone())["neighbours"], 4);
  small.fleet.memory = 200e-9;
  TinyRun none(clients, small);
  none.start({{0.0}});
  EXPECT_THROW(none.round(none.fleet->everyone()), Error) << "not even one group";
}

// What a run of groups of four ends with: models, events, and all that the server keeps. In the first round
// some of each group have a model of their own and some have not.
struct Ending {
  Vec models;
  std::vector<std::string> events;
  Bytes server;
  bool operator==(const Ending&) const = default;
};
Ending ending(const std::string& attack, const std::string& toml) {
  std::vector<TinyFederation::Client> clients;
  for (int i = 0; i < 12; ++i) clients.push_back(wants(i % 3 * 5 + 0.1 * i, i % 3));
  AttackedRun it(clients, choices("group_size = 4\n" + toml), attack, "", 0.4);
  it.run.start({{0.0}});
  it.run.round({0, 1, 2, 3, 4, 5});
  for (int t = 0; t < 6; ++t) it.run.round(it.everyone);
  Ending end;
  for (const ClientId i : it.everyone) end.models.push_back(model_of(it.run, i));
  for (const Event& event : it.run.fleet->take_events()) end.events.push_back(event.text);
  Archive a = Archive::writer(Precision::f64);
  it.run.algorithm->fields(a);
  end.server = a.take();
  return end;
}

// With the five liars of `nan` most members of a group are left out in some round, but never most of all.
TEST(FederatedClustering, HowManyGroupsAreAskedAtOnceChangesNothing) {
  AttackOptions options{.fraction = 0.4, .attack = make_plugin<Attack>("nan")};
  const std::vector<ClientId> liars = options.choose(12, 1), all = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  std::ptrdiff_t most = 0;
  for (std::uint32_t t = 2; t <= 7; ++t) {
    Stream stream(1, {Purpose::server, t, 0, 0});
    for (const Circle& circle : cut_circles(all, 3, stream)) {
      most = std::max(most, std::count_if(circle.members.begin(), circle.members.end(), [&](ClientId i) {
                        return std::binary_search(liars.begin(), liars.end(), i);
                      }));
    }
  }
  ASSERT_GE(most, 3) << "of four";
  for (const std::string toml : {"quantile = 0.5\n", "neighbours = \"truth\"\n"}) {
    const Ending honest = ending("none", toml);
    EXPECT_EQ(ending("none", toml + "memory = 1e-9"), honest);
    for (const char* attack : {"gaussian", "alie", "inner-product", "edge-of-radius", "nan"}) {
      const Ending together = ending(attack, toml), one_by_one = ending(attack, toml + "memory = 1e-9");
      EXPECT_NE(together.models, honest.models) << attack;
      EXPECT_EQ(one_by_one.models, together.models) << attack;
      EXPECT_EQ(one_by_one.events, together.events) << attack;
      EXPECT_EQ(one_by_one.server, together.server) << attack;
    }
  }
}

// At model 1 the second client's gradient is 40 * 40 = 1600, beyond aggregate.limit; at its own it is 0. The
// third's at 1 is 0.5.
TEST(FederatedClustering, AGradientThatCannotBeUsedIsOutsideOfTheBallWithAnEvent) {
  auto first = [](const std::string& toml) {
    TinyRun run({wants(0), {{{40}}, {0}, 0}, wants(0.5)}, choices(toml));
    run.algorithm->start(*run.fleet, {{{1.0}, {0.0}}, {0, 1, 0}});
    run.round({0, 1, 2});
    EXPECT_NEAR(predictions_of(run, 1)[0] / 40, toml.starts_with("rule") ? 0.1 * 0.5 / 3 : 0, 1e-14)
        << "which others can use";
    const std::vector<Event> events = run.fleet->take_events();
    EXPECT_EQ(events.size(), 1u);
    EXPECT_EQ(events.at(0).kind, "unusable");
    EXPECT_NE(events.at(0).text.find("2 gradients at models of others"), std::string::npos);
    EXPECT_NE(events.at(0).text.find("sent by client 1"), std::string::npos);
    return (1 - model_of(run, 0)) / 0.1;
  };
  EXPECT_NEAR(first("rule = \"fixed\"\nradius = 2000"), 0.75, 1e-12) << "the mean of its ball";
  EXPECT_NEAR(first("rule = \"fixed\"\nradius = 2000\nsteps = 1"), (1 + 0.5 + 1) / 3, 1e-12)
      << "one update (4): who is outside counts as the centre";
  EXPECT_NEAR(first("quantile = 0.7"), 0.75, 1e-12) << "rank 2 of three is infinitely far; of two, 1 is 0.5";
}

TEST(FederatedClustering, SendsModelsDownAndGradientsUp) {
  TinyRun run(kThree, choices(""));
  run.start({{0.0}});
  run.round({0, 1, 2});
  EXPECT_EQ(run.fleet->traffic().up, 3u * 3 * 8);
  EXPECT_EQ(run.fleet->traffic().down, 3u * 3 * 8 + 3u * 2 * 8) << "models; then a step and the start";
  run.round({0, 1, 2});
  EXPECT_EQ(run.fleet->traffic().up, 2 * 3u * 3 * 8 + 3u * 8) << "the models themselves come first";
  EXPECT_EQ(run.fleet->traffic().down, 2 * 3u * 3 * 8 + 3u * 3 * 8);
}

TEST(FederatedClustering, RefusesARoundThatDoesNotFitIntoMemoryBeforeItBegins) {
  TinyRun::Choices small = choices("");
  small.fleet.memory = 1e-7;  // 100 bytes
  TinyRun run(kThree, small);
  run.start({{0.0}});
  EXPECT_THROW(run.round({0, 1, 2}), Error);
  for (const auto& touched : run.federation.touched) EXPECT_EQ(touched, 0);
}

// With gradients 0 and -2 in one true cluster and -10 in the other.
TEST(FederatedClustering, WithTheTruthItSaysHowTheAssumptionsFare) {
  TinyRun run({wants(0), wants(2), wants(10, 1)}, choices("neighbours = \"truth\""));
  run.start({{0.0}});
  run.round({0, 1, 2});
  EXPECT_NEAR(model_of(run, 0), 0.1, 1e-14);
  EXPECT_NEAR(model_of(run, 2), 1.0, 1e-14);
  auto figures = figures_of(run, run.fleet->everyone());
  EXPECT_NEAR(figures["gradients_within"], (1 + 1 + 0) / 3.0, 1e-12);
  EXPECT_NEAR(figures["gradients_within_most"], 1, 1e-12);
  EXPECT_NEAR(figures["gradients_between"], (100 + 64 + 64) / 3.0, 1e-12);
  EXPECT_NEAR(figures["gradients_between_least"], 64, 1e-12);
}

TEST(FederatedClustering, SaysWhatItDoesNotRead) {
  TinyRun plain(kThree, choices(""));
  EXPECT_TRUE(plain.algorithm->warnings(*plain.fleet).empty());
  TinyRun::Choices batches = choices("");
  batches.solver = "sgd";
  batches.solver_toml = "batch = 1";
  TinyRun run(kThree, batches);
  run.aggregate.kind = "median";
  EXPECT_EQ(run.algorithm->warnings(*run.fleet).size(), 2u);
}

}  // namespace
}  // namespace coterie
