#include <gtest/gtest.h>

#include <map>

#include "algorithms/federated-clustering/links.h"
#include "algorithms/personal_models.h"
#include "coterie/methods/slots.h"

namespace coterie::federated_clustering_test {
namespace {

// Gradients at any model w are w, w - 1 and w - 10.
const std::vector<TinyFederation::Client> kThree = {wants(0), wants(1), wants(10, 1)};

TinyRun::Choices choices(const std::string& toml) {
  return {.algorithm = "federated-clustering", .algorithm_toml = toml};
}
std::map<std::string, double> figures_of(const TinyRun& run, const std::vector<ClientId>& judged) {
  const auto all = run.algorithm->own_metrics(judged);
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
  EXPECT_EQ(run.algorithm->found_clusters(), (std::vector<std::uint32_t>{0, 1, 2, 3, 4})) << "nobody has met";
  run.round({0, 1, 2, 3, 4});
  EXPECT_EQ(run.algorithm->found_clusters(), (std::vector<std::uint32_t>{0, 1, 0, 1, 2}));
  EXPECT_NEAR(figures_of(run, run.fleet->everyone())["neighbours"], (2 + 2 + 2 + 2 + 1) / 5.0, 1e-14);
}

TEST(FederatedClustering, FiguresAreAboutThoseWhoAreJudged) {
  TinyRun run(kThree, choices("rule = \"fixed\"\nradius = 2"));
  run.start({{0.0}});
  run.round({0, 1, 2});
  EXPECT_EQ(figures_of(run, {0, 1})["neighbours"], 2);
  EXPECT_EQ(figures_of(run, {2, 7})["neighbours"], 1);
}

// Client 1 is like 0, but 0 is not like 1.
TEST(FederatedClustering, ALinkTakesBothDirections) {
  Links links(3);
  const std::vector<std::pair<ClientId, ClientId>> alike = {{0, 1}, {1, 2}, {2, 1}};
  links.found(alike, 1);
  EXPECT_EQ(links.groups(), (std::vector<std::uint32_t>{0, 1, 1}));
}

TEST(FederatedClustering, ALinkLastsUntilBothHaveHadATurnApart) {
  TinyRun run(kThree, choices("rule = \"fixed\"\nradius = 2"));
  run.start({{0.0}});
  run.round({0, 1, 2});
  run.round({0, 2});
  EXPECT_EQ(run.algorithm->found_clusters(), (std::vector<std::uint32_t>{0, 0, 1}));
  EXPECT_NEAR(model_of(run, 1), 0.05, 1e-14) << "not asked: it keeps its model";
  EXPECT_NEAR(model_of(run, 0), 0.05 - 0.1 * 0.05, 1e-14) << "alone, along its own gradient";
  run.round({1, 2});
  EXPECT_EQ(run.algorithm->found_clusters(), (std::vector<std::uint32_t>{0, 1, 2}));
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
    EXPECT_NE(events.at(0).text.find("sent by client 1, taken at the models of clients 0, 2"),
              std::string::npos)
        << events.at(0).text;
    return (1 - model_of(run, 0)) / 0.1;
  };
  EXPECT_NEAR(first("rule = \"fixed\"\nradius = 2000"), 0.75, 1e-12) << "the mean of its ball";
  EXPECT_NEAR(first("rule = \"fixed\"\nradius = 2000\nsteps = 1"), (1 + 0.5 + 1) / 3, 1e-12)
      << "one update (4): who is outside counts as the centre";
  EXPECT_NEAR(first("quantile = 0.7"), 0.75, 1e-12) << "rank 2 of three is infinitely far; of two, 1 is 0.5";
}

// A sample of 1e200 has a gradient beyond all numbers, unless the model fits it: client 1 at model 1, but not
// at its own, which is 0.
TEST(FederatedClustering, AGradientThatIsNotFiniteCostsTheBallThatItWouldEnter) {
  TinyRun run({wants(0), {{{1e200}}, {0}, 0}, wants(0.5)}, choices("rule = \"fixed\"\nradius = 2000"));
  run.algorithm->start(*run.fleet, {{{1.0}, {0.0}}, {0, 1, 0}});
  run.round({0, 1, 2});
  const std::vector<Event> events = run.fleet->take_events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, "unusable");
  EXPECT_NEAR((1 - model_of(run, 0)) / 0.1, 0.75, 1e-12) << "the mean of clients 0 and 2";
}

TEST(FederatedClustering, AClientWhoseOwnGradientIsNotFiniteIsLeftOutAndToldWhy) {
  TinyRun run({wants(0), {{{1e200}}, {0}, 0}, wants(0.5)}, choices("rule = \"fixed\"\nradius = 2000"));
  run.start({{1.0}});
  run.round({0, 1, 2});
  const std::vector<Event> events = run.fleet->take_events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, "rejected");
  EXPECT_EQ(events[0].client, ClientId{1});
  EXPECT_NE(events[0].text.find("its gradient at its own model has values that are not finite"),
            std::string::npos)
      << events[0].text;
  EXPECT_NEAR((1 - model_of(run, 0)) / 0.1, 0.75, 1e-12);
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

// By the quantile the ball holds a fifth, its owner among them: of nine clients nobody else, of ten one
// other.
TEST(FederatedClustering, WarnsOfGroupsWhoseBallsHoldTheirOwnersAlone) {
  auto warning = [](std::size_t clients, const std::string& toml) {
    std::vector<TinyFederation::Client> all;
    for (std::size_t i = 0; i < clients; ++i) all.push_back(wants(static_cast<double>(i * i)));
    TinyRun run(all, choices(toml));
    std::string text;
    for (const std::string& one : run.algorithm->warnings(*run.fleet)) text += one;
    run.start({{0.0}});
    run.round(run.fleet->everyone());
    const auto figures = figures_of(run, run.fleet->everyone());
    EXPECT_EQ(figures.at("neighbours") <= 1, !text.empty()) << clients << " clients, " << toml;
    return text;
  };
  const std::string fifth = "rule = \"percentile\"\n";
  EXPECT_EQ(warning(9, ""), "") << "by the gap everybody is of one group";
  EXPECT_EQ(warning(10, fifth), "");
  EXPECT_NE(
      warning(9, fifth).find("in groups of 9 clients a ball of quantile = 0.2 and factor = 0.99 holds its "
                             "owner alone"),
      std::string::npos);
  EXPECT_NE(warning(20, fifth + "groups = 4").find("or groups of at least 10"), std::string::npos);
  EXPECT_NE(warning(20, "groups = 4\nquantile = 0.3").find("or groups of at least 7"), std::string::npos);
  EXPECT_NE(warning(20, fifth + "group_size = 5\nfactor = 1.0\nstrict = true").find("at least 10"),
            std::string::npos);
  EXPECT_EQ(warning(20, fifth + "group_size = 5\nfactor = 1.0"), "");
  EXPECT_NE(warning(16, fifth + "group_size = 4\nfactor = 1.0").find("at least 5"), std::string::npos);
  EXPECT_EQ(warning(20, "group_size = 5\nquantile = 0.4"), "");
  EXPECT_EQ(warning(20, "group_size = 5\nneighbours = \"truth\""), "");
  EXPECT_EQ(warning(3, "rule = \"fixed\"\nradius = 100"), "");
  TinyRun alone({wants(0), wants(1)}, choices("group_size = 1"));
  EXPECT_TRUE(alone.algorithm->warnings(*alone.fleet).empty()) << "as it was asked for";
}

// Twelve clients of whom six are asked: that is known when the first round begins.
TEST(FederatedClustering, WarnsOfSmallGroupsOfThoseAskedInTheFirstRound) {
  TinyRun run(std::vector<TinyFederation::Client>(12, wants(1)), choices("rule = \"percentile\""));
  EXPECT_TRUE(run.algorithm->warnings(*run.fleet).empty());
  run.start({{0.0}});
  for (int t = 0; t < 2; ++t) run.round({0, 1, 2, 3, 4, 5});
  const std::vector<Event> events = run.fleet->take_events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, "warning");
  EXPECT_NE(events[0].text.find("in groups of 6 clients"), std::string::npos);
}

TEST(FederatedClustering, SaysWhatItDoesNotRead) {
  TinyRun plain(kThree, choices("quantile = 0.8"));
  EXPECT_TRUE(plain.algorithm->warnings(*plain.fleet).empty());
  TinyRun::Choices batches = choices("quantile = 0.8");
  batches.solver = "sgd";
  batches.solver_toml = "batch = 1";
  TinyRun run(kThree, batches);
  run.aggregate.kind = "median";
  EXPECT_EQ(run.algorithm->warnings(*run.fleet).size(), 2u);
}

// The gradient of the batch that a client draws, or of all its rows.
TEST(FederatedClustering, SaysHowManyRowsItsGradientsAreOver) {
  EXPECT_EQ(TinyRun(kThree, choices("quantile = 0.8")).algorithm->steps_on_gradients(), 0u);
  EXPECT_EQ(TinyRun(kThree, choices("quantile = 0.8\nbatch = 7")).algorithm->steps_on_gradients(), 7u);
}

}  // namespace
}  // namespace coterie::federated_clustering_test
