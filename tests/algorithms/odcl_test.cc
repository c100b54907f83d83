// ODCL on instances of a few clients, worked out by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "support/tiny_federation.h"

namespace coterie {
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

TEST(Odcl, AsksNobodyTwice) {
  auto clients = kFive;
  clients[4].y[0] = std::nan("");
  TinyRun run(clients, odcl());
  run.start({{0.0}, {0.0}});
  for (int t = 0; t < 3; ++t) run.round({0, 1, 2, 3, 4});
  std::size_t rejected = 0;
  for (const Event& e : run.fleet->take_events()) rejected += e.kind == "rejected" ? 1 : 0;
  EXPECT_EQ(rejected, 1u);
}

TEST(Odcl, OneClusterIsTheMeanOfAll) {
  TinyRun run(kFive, odcl("", 1));
  run.start({{0.0}});
  run.round({0, 1, 2, 3, 4});
  EXPECT_NEAR(own(run, 3), 33 / 5.0, 1e-12);
}

}  // namespace
}  // namespace coterie
