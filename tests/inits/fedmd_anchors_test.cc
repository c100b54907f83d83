// Who FedMD's anchors are, when they stop, and what groups they form.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "inits/fedmd_runs.h"

namespace coterie::fedmd_anchors_test {
namespace {

TEST(FedMd, EachAnchorSaysWhyItStops) {
  const Made made(two_clusters(30, 10), "delta = 3.7\nepsilon = 0.2\nrounds = 30\nalpha = 1.0\nbeta = 1.0");
  const std::vector<Event> stops = made.of_kind("anchor-stopped");
  ASSERT_EQ(stops.size(), 5u);
  for (const Event& stop : stops) {
    EXPECT_TRUE(stop.client.has_value());
    EXPECT_NEAR(stop.numbers[1].second, 0.2 * 3.7 / std::sqrt(2.0), 1e-12);
    EXPECT_LE(stop.numbers[0].second, stop.numbers[1].second * stop.numbers[1].second);
  }
  EXPECT_LT(made.logged, 30) << "when all have stopped, rounds end";
}

TEST(FedMd, AnchorsBySizeUniformlyOrByName) {
  Clients clients = two_clusters(20, 6);
  const Clients large = two_clusters(2, 20);
  clients.insert(clients.begin() + 7, large.begin(), large.end());
  auto anchors = [&](const std::string& toml) {
    std::vector<ClientId> ids;
    for (const Event& event : Made(clients, toml).of_kind("anchor")) ids.push_back(*event.client);
    return ids;
  };
  EXPECT_EQ(anchors("count = 4"), (std::vector<ClientId>{7, 8, 9, 10}));
  EXPECT_EQ(anchors("anchors = \"ids\"\nids = [30, 3, 3]"), (std::vector<ClientId>{3, 30}));
  EXPECT_EQ(anchors("anchors = \"uniform\"\ncount = 6").size(), 6u);
  EXPECT_NE(anchors("anchors = \"uniform\"\ncount = 4"), anchors("count = 4"));
  EXPECT_THROW(anchors("anchors = \"ids\"\nids = [44]"), Error);
  EXPECT_THROW(anchors("ids = [3]"), Error);
  EXPECT_THROW(anchors("iterations = 3"), Error);
}

TEST(FedMd, AClusterWithoutAnchorIsSaid) {
  // Even ids are of the first cluster.
  const Made made(two_clusters(30, 10),
                  "anchors = \"ids\"\nids = [0, 2, 4]\ndelta = 3.7\nalpha = 1.0\nbeta = 1.0");
  EXPECT_EQ(made.start.models.size(), 2u);
  ASSERT_EQ(made.of_kind("too-few-groups").size(), 1u);
  EXPECT_EQ(made.of_kind("anchors-grouped")[0].numbers[0].second, 1);
}

// The largest clients are all of the first cluster: anchors by size miss the second until more are taken.
Clients lopsided() {
  Clients clients = two_clusters(30, 24);
  const Clients large = two_clusters(8, 30);
  for (std::size_t i = 0; i < large.size(); i += 2) clients.push_back(large[i]);
  return clients;
}

TEST(FedMd, RecruitsAnchorsWhereAClusterIsMissed) {
  const std::string toml = "count = 8\ndelta = 3.7\nalpha = 1.0\nbeta = 1.0\nrounds = 10\n";
  const Made without(lopsided(), toml + "recruit = 0");
  EXPECT_EQ(without.of_kind("too-few-groups").size(), 1u);
  EXPECT_EQ(without.of_kind("anchor").size(), 8u);
  EXPECT_TRUE(without.of_kind("anchors-recruited").empty());
  EXPECT_GT(without.error(), 0.75);

  const Made made(lopsided(), toml);
  EXPECT_TRUE(made.of_kind("too-few-groups").empty());
  ASSERT_EQ(made.of_kind("anchors-recruited").size(), 1u);
  EXPECT_EQ(made.of_kind("anchors-recruited")[0].numbers[0].second, 1) << "the groups before";
  EXPECT_EQ(made.of_kind("anchor").size(), 16u);
  EXPECT_LT(made.error(), 0.75);
  EXPECT_GT(made.logged, without.logged) << "rounds of the second descent are logged too";
  std::vector<ClientId> anchors;
  for (const Event& event : made.of_kind("anchor")) anchors.push_back(*event.client);
  std::sort(anchors.begin(), anchors.end());
  EXPECT_EQ(std::unique(anchors.begin(), anchors.end()), anchors.end()) << "nobody twice";
}

// Where Delta is far too large nothing helps: it is tried as often as asked, then said.
TEST(FedMd, RecruitsNoMoreOftenThanAsked) {
  const std::string toml = "count = 4\ndelta = 370\nalpha = 1.0\nbeta = 1.0\nrounds = 2\nrecruit = ";
  for (const int times : {1, 3}) {
    const Made made(two_clusters(30, 10), toml + std::to_string(times));
    EXPECT_EQ(made.of_kind("anchors-recruited").size(), static_cast<std::size_t>(times));
    EXPECT_EQ(made.of_kind("anchor").size(), 4u * static_cast<std::size_t>(1 + times));
    EXPECT_EQ(made.of_kind("too-few-groups").size(), 1u);
  }
  // Six clients: four, then the two that are left, then nobody.
  const Made few(two_clusters(3, 10), toml + "5");
  EXPECT_EQ(few.of_kind("anchor").size(), 6u);
  EXPECT_EQ(few.of_kind("anchors-recruited").size(), 1u);
}

TEST(FedMd, NamedAnchorsAreAllThereAre) {
  const Made made(two_clusters(30, 10),
                  "anchors = \"ids\"\nids = [0, 2]\ndelta = 3.7\nalpha = 1.0\nbeta = 1.0\nrecruit = 5");
  EXPECT_TRUE(made.of_kind("anchors-recruited").empty());
  EXPECT_EQ(made.of_kind("too-few-groups").size(), 1u);
}

// k-means makes its two groups of three anchors of one cluster: they are hardly apart.
TEST(FedMd, AClusterWithoutAnchorIsSaidWithoutDeltaToo) {
  const Made one(two_clusters(30, 24), "anchors = \"ids\"\nids = [0, 2, 4, 6, 8, 10]");
  ASSERT_EQ(one.of_kind("unclear-groups").size(), 1u);
  const Made both(two_clusters(30, 24), "anchors = \"ids\"\nids = [0, 1, 2, 3, 4, 5]");
  EXPECT_TRUE(both.of_kind("unclear-groups").empty());
}

TEST(FedMd, SaysThatRoundsWereTooFew) {
  const Made made(two_clusters(30, 24), "rounds = 1");
  ASSERT_EQ(made.of_kind("anchors-on-their-way").size(), 1u);
  EXPECT_EQ(made.of_kind("anchors-on-their-way")[0].numbers[0].second, 5);
}

TEST(FedMd, MoreGroupsThanModelsAreJoined) {
  const Made made(two_clusters(30, 24), "delta = 1e-9\nalpha = 1.0\nbeta = 1.0");
  EXPECT_EQ(made.start.models.size(), 2u);
  EXPECT_EQ(made.of_kind("anchors-grouped")[0].numbers[1].second, 5) << "groups before joins";
  EXPECT_LT(made.error(), 0.75);
}

}  // namespace
}  // namespace coterie::fedmd_anchors_test
