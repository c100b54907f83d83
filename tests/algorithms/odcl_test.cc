// ODCL on instances of a few clients, worked out by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "coterie/methods/slots.h"
#include "support/tiny_federation.h"

namespace coterie::odcl_test {
namespace {

// Each client has the sample x = 1: its own model is y. Sizes differ, which must not matter.
const std::vector<TinyFederation::Client> kFive = {
    {{{1}}, {1}, 0}, {{{1}, {1}, {1}}, {2, 2, 2}, 0}, {{{1}}, {9}, 1}, {{{1}}, {10}, 1}, {{{1}}, {11}, 1}};

TinyRun::Choices odcl(const std::string& toml = "", std::size_t clusters = 2) {
  TinyRun::Choices choices;
  choices.algorithm = "odcl";
  choices.algorithm_toml = toml;
  choices.clusters = clusters;
  return choices;
}

// What a client is served with.
double own(const TinyRun& run, ClientId client) {
  const Items items = run.algorithm->offer_items(client);
  std::size_t k = 0;
  while (k < run.models().size() && !items.has(k)) ++k;
  return run.models().at(k)[0];
}

TEST(Odcl, EachClientGetsThePlainMeanOfItsGroup) {
  for (const char* kind : {"kmeans++", "kmeans", "spectral", "gradient"}) {
    TinyRun run(kFive, odcl("clustering = \"" + std::string(kind) + "\""));
    run.start({{0.0}, {0.0}});
    run.round({0, 1, 2, 3, 4});
    for (const ClientId i : {0u, 1u}) EXPECT_NEAR(own(run, i), 1.5, 1e-9) << kind;
    for (const ClientId i : {2u, 3u, 4u}) EXPECT_NEAR(own(run, i), 10, 1e-9) << kind;
  }
}

// Whatever clusters.count says. With all pairs, lambda = 1 moves the end points of {1, 2} and {9, 10, 11} on
// their neighbours (they are 1 apart, and every pair pulls by 1), and the two groups by 3 and by 2.
TEST(Odcl, ConvexClusteringFindsTheNumberOfGroups) {
  TinyRun run(kFive, odcl("clustering = \"convex\"\nconvex = {rule = \"given\", lambda = 1.0}", 4));
  run.start(std::vector<Vec>(4, Vec{0.0}));
  run.round({0, 1, 2, 3, 4});
  ASSERT_EQ(run.models().size(), 2u);
  EXPECT_NEAR(own(run, 0), 1.5, 1e-12);
  EXPECT_NEAR(own(run, 4), 10, 1e-12);
}

TEST(Odcl, TheNumberOfGroupsMayBeChosen) {
  TinyRun run(kFive, odcl("count = \"silhouette\"\nmost = 4", 4));
  run.start(std::vector<Vec>(4, Vec{0.0}));
  run.round({0, 1, 2, 3, 4});
  EXPECT_EQ(run.models().size(), 2u);
}

TEST(Odcl, ModelsGoUpOnceAndNothingHappensLater) {
  TinyRun run(kFive, odcl());
  run.start({{0.0}, {0.0}});
  EXPECT_EQ(run.fleet->traffic().up, 0u);
  run.round({0, 1, 2, 3, 4});
  EXPECT_EQ(run.fleet->traffic().up, 5u * 8) << "a model of one number";
  EXPECT_EQ(run.fleet->traffic().down, 0u) << "models are delivered at the end of a run";
  const std::vector<Vec> models = run.models();
  run.round({0, 1, 2, 3, 4});
  EXPECT_EQ(run.fleet->traffic().up, 5u * 8);
  EXPECT_EQ(run.models(), models);
}

TEST(Odcl, SaysHowFarApartTheGroupsAre) {
  TinyRun run(kFive, odcl());
  run.start({{0.0}, {0.0}});
  run.round({0, 1, 2, 3, 4});
  const std::vector<Event> events = run.fleet->take_events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, "clusters-found");
  const std::map<std::string, double> numbers(events[0].numbers.begin(), events[0].numbers.end());
  EXPECT_EQ(numbers.at("groups"), 2);
  EXPECT_NEAR(numbers.at("distance"), 8.5, 1e-12);
  EXPECT_NEAR(numbers.at("radius"), 1, 1e-12);
  EXPECT_NEAR(numbers.at("alpha"), 8.5, 1e-12);
  EXPECT_NEAR(numbers.at("lambda_low"), 2.0 / 3, 1e-12) << "|11 - 9| / 3";
  EXPECT_NEAR(numbers.at("lambda_high"), 8.5 / 5, 1e-12) << "over 2 m - 2 - 3";
}

TEST(Odcl, AClientWithoutAModelOfItsOwnIsServedLikeAnUnseenOne) {
  auto clients = kFive;
  clients[4].y[0] = std::nan("");
  TinyRun run(clients, odcl());
  run.start({{0.0}, {0.0}});
  run.round({0, 1, 2, 3, 4});
  EXPECT_NEAR(own(run, 2), 9.5, 1e-12);
  EXPECT_TRUE(run.algorithm->offer_items(4).has(0) && run.algorithm->offer_items(4).has(1));
  EXPECT_TRUE(run.algorithm->offer_items(17).has(0) && run.algorithm->offer_items(17).has(1)) << "unseen";
}

// Groups change with every newcomer: of {1, 9} and of all.
TEST(Odcl, GroupsWhatHasComeSoFar) {
  TinyRun run(kFive, odcl());
  run.start({{0.0}, {0.0}});
  run.round({0, 2});
  EXPECT_NEAR(own(run, 2), 9, 1e-12);
  EXPECT_TRUE(run.algorithm->offer_items(1).has(0) && run.algorithm->offer_items(1).has(1)) << "not yet";
  run.round({0, 1, 3});
  EXPECT_EQ(run.fleet->traffic().up, 4u * 8) << "client 0 has sent its model before";
  run.round({4});
  EXPECT_NEAR(own(run, 0), 1.5, 1e-12);
  EXPECT_NEAR(own(run, 4), 10, 1e-12);
}

std::size_t count(TinyRun& run, const std::string& kind) {
  std::size_t found = 0;
  for (const Event& e : run.fleet->take_events()) found += e.kind == kind ? 1 : 0;
  return found;
}

// The limit refuses what client 4 sends, as a network might lose it.
TEST(Odcl, AsksAgainWhoseModelIsMissing) {
  TinyRun run(kFive, odcl());
  run.start({{0.0}, {0.0}});
  run.aggregate.limit = 10.5;
  run.round({0, 1, 2, 3, 4});
  EXPECT_NEAR(own(run, 2), 9.5, 1e-12);
  run.round({0, 1, 2, 3, 4});
  EXPECT_EQ(count(run, "clusters-found"), 1u) << "nothing new, and no end of the run by the quorum";
  run.aggregate.limit = 1e6;
  run.round({0, 1, 2, 3});
  EXPECT_NEAR(own(run, 2), 9.5, 1e-12) << "not its turn";
  run.round({0, 1, 2, 3, 4});
  EXPECT_NEAR(own(run, 4), 10, 1e-12);
  EXPECT_EQ(count(run, "clusters-found"), 1u);
}

TEST(Odcl, AsksNobodyForEver) {
  auto clients = kFive;
  clients[4].y[0] = std::nan("");
  for (const int asks : {1, 3}) {
    TinyRun run(clients, odcl(asks == 3 ? "" : "asks = 1"));
    run.start({{0.0}, {0.0}});
    for (int t = 0; t < 5; ++t) run.round({0, 1, 2, 3, 4});
    EXPECT_EQ(count(run, "rejected"), static_cast<std::size_t>(asks));
  }
}

TEST(Odcl, FallingBelowTheQuorumEndsARunWithoutModels) {
  TinyRun run(kFive, odcl());
  run.start({{0.0}, {0.0}});
  run.aggregate.limit = 0.5;
  EXPECT_THROW(run.round({0, 1, 2, 3, 4}), BelowQuorum);
}

// The newcomer 0 is the first of all, but its group is known as the second.
TEST(Odcl, GroupsKeepTheirNumbers) {
  TinyRun run({{{{1}}, {9}, 1}, {{{1}}, {1}, 0}, {{{1}}, {2}, 0}, {{{1}}, {10}, 1}}, odcl());
  run.start({{0.0}, {0.0}});
  run.round({1, 2, 3});
  EXPECT_TRUE(run.algorithm->offer_items(1).has(0));
  EXPECT_TRUE(run.algorithm->offer_items(3).has(1));
  run.round({0, 1, 2, 3});
  EXPECT_TRUE(run.algorithm->offer_items(1).has(0));
  EXPECT_TRUE(run.algorithm->offer_items(0).has(1));
  EXPECT_NEAR(own(run, 0), 9.5, 1e-12);
  EXPECT_NEAR(own(run, 2), 1.5, 1e-12);
}

// Client 1 has three samples, client 0 one.
TEST(Odcl, ClientsMayCountByTheirSamples) {
  TinyRun run(kFive, odcl("weights = \"samples\""));
  run.start({{0.0}, {0.0}});
  run.round({0, 1, 2, 3, 4});
  EXPECT_NEAR(own(run, 0), 7 / 4.0, 1e-12);
  EXPECT_NEAR(own(run, 2), 10, 1e-12);
}

Event told(const std::string& toml, std::size_t clusters) {
  TinyRun run(kFive, odcl(toml, clusters));
  run.start(std::vector<Vec>(clusters, Vec{0.0}));
  run.round({0, 1, 2, 3, 4});
  const std::vector<Event> events = run.fleet->take_events();
  EXPECT_EQ(events.size(), 1u);
  return events.at(0);
}

bool has(const Event& event, const std::string& name) {
  return std::any_of(event.numbers.begin(), event.numbers.end(),
                     [&](const auto& one) { return one.first == name; });
}

TEST(Odcl, TheoryIsNotQuotedForOneGroupOrForClientsAlone) {
  const std::string given = "clustering = \"convex\"\nconvex = {rule = \"given\", lambda = ";
  for (const Event& event :
       {told("", 1), told("", 5), told(given + "100.0}", 2), told(given + "0.001}", 2)}) {
    EXPECT_EQ(event.text.find("separable"), std::string::npos) << event.text;
    EXPECT_EQ(event.text.find("(13)"), std::string::npos) << event.text;
    EXPECT_FALSE(has(event, "condition_13") || has(event, "alpha")) << event.text;
  }
  EXPECT_NE(told(given + "1.0}", 2).text.find("condition (13) holds"), std::string::npos);
}

// 1, 2, 9, 10, 11: pairs of neighbours become one at .5 (a group of three) and below; (13) is [2/3, 1.7).
TEST(Odcl, TellsTheWholePath) {
  const Event event = told("clustering = \"convex\"\nconvex.path.steps = 4", 2);
  const std::map<std::string, double> numbers(event.numbers.begin(), event.numbers.end());
  EXPECT_EQ(numbers.at("path_1_groups"), 5);
  EXPECT_EQ(numbers.at("path_4_groups"), 1);
  EXPECT_EQ(numbers.at("path_4_condition_13"), 0);
  EXPECT_EQ(numbers.count("path_5_groups"), 0u);
  double holds = 0;
  for (const char* n : {"1", "2", "3"}) {
    const std::string step = "path_" + std::string(n);
    const double lambda = numbers.at(step + "_lambda");
    const bool inside = lambda >= 2.0 / 3 && lambda < 1.7;
    EXPECT_EQ(numbers.at(step + "_condition_13"), inside ? 1 : 0) << lambda;
    holds += inside ? 1 : 0;
  }
  EXPECT_GT(holds, 0);
}

TEST(Odcl, RefusesOptionsThatWouldDoNothing) {
  for (const char* toml :
       {"most = 4", "clustering = \"spectral\"\nrestarts = 3", "clustering = \"convex\"\nrestarts = 3",
        "convex.neighbours = 3", "convex.phi = 0.5", "convex = {rule = \"interval\", path = {start = 0.2}}",
        "convex = {rule = \"given\", lambda = 1.0, path = {steps = 20}}", "gradient.delta = 2.0",
        "convex.path.tolerance = 1e-3"}) {
    EXPECT_THROW(make_plugin<Algorithm>("odcl", toml), Error) << toml;
  }
  for (const char* toml :
       {"most = 4\ncount = \"elbow\"", "restarts = 3", "spectral.restarts = 3\nclustering = \"spectral\"",
        "convex = {rule = \"given\", lambda = 1.0, weights = \"knn\", neighbours = 3, phi = 0.5}",
        "convex = {path = {start = 0.2}, tolerance = 1e-3}", "gradient = {loss = \"huber\", delta = 2.0}"}) {
    EXPECT_NO_THROW(make_plugin<Algorithm>("odcl", toml)) << toml;
  }
}

TEST(Odcl, OneClusterIsTheMeanOfAll) {
  TinyRun run(kFive, odcl("", 1));
  run.start({{0.0}});
  run.round({0, 1, 2, 3, 4});
  EXPECT_NEAR(own(run, 3), 33 / 5.0, 1e-12);
}

}  // namespace
}  // namespace coterie::odcl_test
