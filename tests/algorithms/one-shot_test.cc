// One-shot clustering on instances of a few clients, worked out by hand.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "coterie/methods/slots.h"
#include "support/small_session.h"
#include "support/tampered_fleet.h"
#include "support/tiny_federation.h"

namespace coterie::one_shot_test {
namespace {

// Each client has the sample x = 1: its own model is y, its gradient theta - y.
const std::vector<TinyFederation::Client> kFour = {
    {{{1}}, {1}, 0}, {{{1}, {1}, {1}}, {2, 2, 2}, 0}, {{{1}}, {9}, 1}, {{{1}}, {10}, 1}};

TinyRun::Choices two_clusters(const std::string& toml = "") {
  TinyRun::Choices choices;
  choices.algorithm = "one-shot";
  choices.algorithm_toml = toml;
  choices.clusters = 2;
  return choices;
}

// The cluster that a client is offered.
std::size_t cluster_of(const TinyRun& run, ClientId client) {
  Items items = run.algorithm->offer_items(client);
  EXPECT_NE(items.has(0), items.has(1)) << "one model";
  return items.has(0) ? 0 : 1;
}

TEST(OneShot, GroupsClientsByTheirOwnModelsAndBeginsAtTheirMeans) {
  for (const char* seeding : {"kmeans++", "random"}) {
    TinyRun run(kFour, two_clusters("seeding = \"" + std::string(seeding) + "\""));
    run.start({{0.0}, {0.0}});
    EXPECT_EQ(cluster_of(run, 0), cluster_of(run, 1));
    EXPECT_EQ(cluster_of(run, 2), cluster_of(run, 3));
    EXPECT_NE(cluster_of(run, 0), cluster_of(run, 2));
    EXPECT_NEAR(run.models()[cluster_of(run, 0)][0], (1 * 1 + 3 * 2) / 4.0, 1e-14) << "by samples";
    EXPECT_NEAR(run.models()[cluster_of(run, 2)][0], 9.5, 1e-14);
  }
}

TEST(OneShot, MeansMayBeUniform) {
  TinyRun::Choices choices = two_clusters();
  choices.weights = "uniform";
  TinyRun run(kFour, choices);
  run.start({{0.0}, {0.0}});
  EXPECT_NEAR(run.models()[cluster_of(run, 0)][0], 1.5, 1e-14);
}

TEST(OneShot, ThenAveragesInsideTheGroupOfThoseAsked) {
  TinyRun run(kFour, two_clusters());
  run.start({{0.0}, {0.0}});
  std::size_t low = cluster_of(run, 0);
  run.round({0});
  EXPECT_NEAR(run.models()[low][0], 1.75 - 0.1 * 0.75, 1e-14);
  EXPECT_NEAR(run.models()[1 - low][0], 9.5, 1e-14) << "nobody of this group was asked";
  run.round({1, 3});
  EXPECT_NEAR(run.models()[low][0], 1.675 + 0.1 * 0.325, 1e-14);
  EXPECT_NEAR(run.models()[1 - low][0], 9.5 + 0.1 * 0.5, 1e-14);
}

TEST(OneShot, SendsEachClientTheModelOfItsGroupOnly) {
  TinyRun run(kFour, two_clusters());
  run.start({{0.0}, {0.0}});
  EXPECT_EQ(run.fleet->traffic().down, 0u);
  EXPECT_EQ(run.fleet->traffic().up, 4u * 8);
  run.round({0, 1, 2, 3});
  EXPECT_EQ(run.fleet->traffic().down, 4u * 8);
}

TEST(OneShot, GroupsMayComeFromLocalTraining) {
  TinyRun::Choices choices = two_clusters("solver = \"local\"");
  choices.solver_toml = "rate = 0.1\nsteps = 200";
  TinyRun run(kFour, choices);
  run.start({{0.0}, {0.0}});
  EXPECT_NE(cluster_of(run, 0), cluster_of(run, 2));
  EXPECT_NEAR(run.models()[cluster_of(run, 2)][0], 9.5, 1e-6);
}

// Client 4 would fit 2000, beyond aggregate.limit, so it gives no model of its own. Of 1.75 and 9.5 the
// latter fits it better; a step from there is within the limit.
TEST(OneShot, AClientWithoutAModelOfItsOwnJoinsTheGroupOfLowestLoss) {
  auto clients = kFour;
  clients.push_back({{{1}}, {2000}, 1});
  TinyRun run(clients, two_clusters());
  run.start({{0.0}, {0.0}});
  EXPECT_EQ(run.fleet->take_events().size(), 1u);
  EXPECT_TRUE(run.algorithm->offer_items(4).has(0));
  EXPECT_TRUE(run.algorithm->offer_items(4).has(1));
  std::size_t high = cluster_of(run, 2);
  run.round({0, 4});
  EXPECT_NEAR(run.models()[high][0], 9.5 + 0.1 * (2000 - 9.5), 1e-11);
  EXPECT_EQ(cluster_of(run, 4), high);
}

// The number of groups is found, so that clusters.count = 1 says nothing of the client without a model.
TEST(OneShot, AClientWithoutAModelJoinsAGroupThatWasFoundToo) {
  auto clients = kFour;
  clients.push_back({{{1}}, {2000}, 1});
  for (const auto& [threshold, groups] : std::vector<std::pair<int, std::size_t>>{{4, 2}, {100, 1}}) {
    TinyRun::Choices choices = two_clusters(
        fmt::format("cluster = \"hierarchical\"\ncount = \"threshold\"\nthreshold = {}", threshold));
    choices.clusters = 1;
    TinyRun run(clients, choices);
    run.start({{0.0}});
    ASSERT_EQ(run.models().size(), groups);
    EXPECT_TRUE(run.algorithm->offer_items(4).has(0));
    EXPECT_EQ(run.algorithm->offer_items(4).has(1), groups == 2);
    run.round({0, 4});
    EXPECT_EQ(cluster_of(run, 4), groups == 2 ? cluster_of(run, 2) : 0);
  }
}

TEST(OneShot, StaysAtItsStartWhereNobodyGivesAModel) {
  auto clients = kFour;
  for (auto& client : clients) client.y[0] = std::nan("");
  for (const char* toml : {"", "cluster = \"hierarchical\"\ncount = \"threshold\"\nthreshold = 4"}) {
    TinyRun::Choices choices = two_clusters(toml);
    choices.fleet.options.quorum = 0;
    TinyRun run(clients, choices);
    run.start({{1.0}, {2.0}});
    EXPECT_EQ(run.models(), (std::vector<Vec>{{1.0}, {2.0}})) << toml;
  }
}

TEST(OneShot, AClientWhoseNumbersAreNeverFiniteStaysOut) {
  auto clients = kFour;
  clients[3].y[0] = std::nan("");
  TinyRun run(clients, two_clusters());
  run.start({{0.0}, {0.0}});
  run.round({0, 1, 2, 3});
  EXPECT_TRUE(run.algorithm->offer_items(3).has(0) && run.algorithm->offer_items(3).has(1));
  EXPECT_NEAR(run.models()[cluster_of(run, 2)][0], 9, 1e-14);
}

// As the method's reply is encoded.
struct Said {
  std::uint32_t cluster = 0;
  Numbers model;
  void fields(Archive& a) { a(cluster, model); }
};

TEST(OneShot, AClientThatNamesAnotherClusterIsLeftOut) {
  TinyRun::Choices choices = two_clusters();
  choices.fleet.kind = "tampered";
  TinyRun run(kFour, choices);
  run.start({{0.0}, {0.0}});
  const std::size_t low = cluster_of(run, 0), high = cluster_of(run, 2);
  const Tampering<Said> lie(2, "one-shot",
                            [&](Said& said) { said.cluster = static_cast<std::uint32_t>(low); });
  run.round({0, 2, 3});
  EXPECT_NEAR(run.models()[low][0], 1.75 + 0.1 * (1 - 1.75), 1e-12) << "client 0 alone";
  EXPECT_NEAR(run.models()[high][0], 9.5 + 0.1 * (10 - 9.5), 1e-12) << "client 3 alone";
  EXPECT_EQ(cluster_of(run, 2), high);
}

TEST(OneShot, UnseenClientsAreOfferedAllModels) {
  TinyRun run(kFour, two_clusters());
  run.start({{0.0}, {0.0}});
  EXPECT_TRUE(run.algorithm->offer_items(17).has(0));
  EXPECT_TRUE(run.algorithm->offer_items(17).has(1));
}

TEST(OneShot, AnEmptyGroupKeepsItsStartModel) {
  TinyRun run({{{{1}}, {3}, 0}, {{{1}}, {3}, 0}, {{{2}}, {6}, 0}}, two_clusters());
  run.start({{-1.0}, {-1.0}});
  std::size_t full = cluster_of(run, 0);
  EXPECT_NEAR(run.models()[full][0], 3, 1e-14);
  EXPECT_EQ(run.models()[1 - full][0], -1);
  auto events = run.fleet->take_events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, "empty-cluster");
}

TEST(OneShot, MoreClustersThanClientsAreRefused) {
  TinyRun::Choices choices = two_clusters();
  choices.clusters = 5;
  TinyRun run(kFour, choices);
  EXPECT_THROW(run.start(std::vector<Vec>(5, Vec{0.0})), Error);
}

TEST(OneShot, OneClusterAsksNobodyBeforeItsRounds) {
  TinyRun::Choices choices = two_clusters();
  choices.clusters = 1;
  TinyRun run(kFour, choices);
  run.start({{0.5}});
  EXPECT_EQ(run.federation.touched[0], 0);
  EXPECT_EQ(run.models(), (std::vector<Vec>{{0.5}}));
}

// Client 2 has y = 1 and no place: losses at 1.4 and 0.5 are 0.08 and 0.125, with 0.1 w^2 0.276 and 0.15.
TEST(OneShot, ALatecomerJoinsTheGroupOfLowestObjective) {
  TinyRun::Choices choices = two_clusters();
  choices.model_toml = "l2 = 0.2";
  TinyRun run({{{{1}}, {1}, 0}, {{{1}}, {2}, 0}, {{{1}}, {1}, 0}}, choices);
  run.algorithm->start(*run.fleet, {{{1.4}, {0.5}}, {0, 1, kUnknownCluster}});
  run.round({2});
  EXPECT_EQ(cluster_of(run, 2), 1u);
  EXPECT_EQ(run.models()[0][0], 1.4);
}

TEST(OneShot, TakesMembershipsThatAStartKnows) {
  TinyRun run(kFour, two_clusters());
  run.algorithm->start(*run.fleet, {{{1.0}, {2.0}}, {1, 0, kUnknownCluster, 1}});
  EXPECT_EQ(run.federation.touched[0], 0) << "nobody is asked";
  EXPECT_EQ(cluster_of(run, 0), 1u);
  EXPECT_EQ(cluster_of(run, 1), 0u);
  EXPECT_TRUE(run.algorithm->offer_items(2).has(0) && run.algorithm->offer_items(2).has(1));
  EXPECT_EQ(run.models(), (std::vector<Vec>{{1.0}, {2.0}}));
}

// --- FL+HC and FedClust
// ---------------------------------------------------------------------------------------

// From 0, a step of 0.1 changes a model by 0.1 y: updates of .1, .2, .9 and 1.
TEST(OneShotByUpdates, GroupsWhatARoundOfTrainingChanges) {
  TinyRun run(kFour, two_clusters("by = \"updates\"\ncluster = \"hierarchical\"\nwarm_up = 0"));
  run.start({{0.0}, {7.0}});
  EXPECT_EQ(cluster_of(run, 0), 0u) << "groups are numbered by their first clients";
  EXPECT_EQ(cluster_of(run, 1), 0u);
  EXPECT_EQ(cluster_of(run, 2), 1u);
  EXPECT_EQ(cluster_of(run, 3), 1u);
  EXPECT_NEAR(run.models()[0][0], (1 * 0.1 + 3 * 0.2) / 4, 1e-14);
  EXPECT_NEAR(run.models()[1][0], 0.95, 1e-14);
}

TEST(OneShotByUpdates, WarmsUpWithEverybody) {
  TinyRun run(kFour, two_clusters("by = \"updates\"\ncluster = \"hierarchical\"\nwarm_up = 1"));
  run.start({{0.0}, {7.0}});
  const double common = 0.1 * (1 + 3 * 2 + 9 + 10) / 6;
  EXPECT_NEAR(run.models()[1][0], common + 0.1 * (9.5 - common), 1e-12);
}

TEST(OneShotByUpdates, CutsAtADistanceAndSaysHowManyGroupsThereAre) {
  for (const auto& [threshold, groups] :
       std::vector<std::pair<double, std::size_t>>{{0.05, 4}, {0.11, 2}, {5, 1}}) {
    TinyRun run(kFour, two_clusters(fmt::format("by = \"updates\"\ncluster = \"hierarchical\"\nwarm_up = 0\n"
                                                "count = \"threshold\"\nthreshold = {}",
                                                threshold)));
    run.start({{0.0}, {7.0}});
    EXPECT_EQ(run.models().size(), groups) << threshold;
    std::size_t told = 0;
    for (const Event& event : run.fleet->take_events()) told += event.kind == "cluster-count" ? 1 : 0;
    EXPECT_EQ(told, 1u);
  }
}

TEST(OneShotByUpdates, CosinesTellDirectionsOnly) {
  // Updates along (1, 0), (3, 0), (0, 1) and (0, 2).
  TinyRun run(
      {{{{1, 0}}, {1}, 0}, {{{1, 0}}, {3}, 0}, {{{0, 1}}, {1}, 0}, {{{0, 1}}, {2}, 0}},
      two_clusters("by = \"updates\"\ncluster = \"hierarchical\"\nwarm_up = 0\ndistance = \"cosine\""));
  run.start({{0.0, 0.0}, {0.0, 0.0}});
  EXPECT_EQ(cluster_of(run, 0), cluster_of(run, 1));
  EXPECT_EQ(cluster_of(run, 2), cluster_of(run, 3));
  EXPECT_NE(cluster_of(run, 0), cluster_of(run, 2));
}

// Two thirds of a network's parameters are left out, and the groups of labels are still found.
TEST(OneShotByLastLayer, IsTheSameBitsWhateverTheFleetAndFindsGroups) {
  const auto federation = SmallSession({"fedavg"})->shared_federation();
  for (const char* how : {"by = \"last-layer\"\ncluster = \"hierarchical\"\n",
                          "by = \"updates\"\ncluster = \"hierarchical\"\ncount = \"gap\"\nwarm_up = 1\n",
                          "by = \"last-layer\"\ncluster = \"kmeans\"\n"}) {
    const SmallChoice choice{.algorithm = "one-shot", .options = how};
    const SmallEnd one = small_run(choice, federation);
    EXPECT_TRUE(one.finite());
    EXPECT_EQ(resumed_run(choice, federation), one) << how;
    SmallChoice other = choice;
    other.fleet = "scramble";
    EXPECT_EQ(small_run(other, federation), one) << how;
  }
}

TEST(OneShotByUpdates, OptionsThatDoNotGoTogetherAreRefused) {
  for (const char* toml :
       {"count = \"gap\"", "cluster = \"hierarchical\"\ncount = \"threshold\"", "warm_up = 3"}) {
    EXPECT_THROW(TinyRun(kFour, two_clusters(toml)), BadConfig) << toml;
  }
}

}  // namespace
}  // namespace coterie::one_shot_test
