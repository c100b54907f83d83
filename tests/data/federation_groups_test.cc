// Which client is in which true cluster.
#include <gtest/gtest.h>

#include <map>

#include "support/deals.h"
#include "support/federations.h"

namespace coterie::federation_groups_test {
namespace {

using Names = std::vector<std::string>;

std::vector<std::size_t> cluster_sizes(const Federation& federation) {
  std::vector<std::size_t> sizes;
  for (std::uint32_t k = 0; k < federation.truth().clusters; ++k)
    sizes.push_back(members(federation, k).size());
  return sizes;
}

TEST(FederationGroups, EachClusterHasItsOwnShift) {
  FederationSpec spec = pool_spec(numbered_pool(80, 2, 2), 8);
  add_shift(spec, "rotate");
  const auto federation = build(spec);
  EXPECT_EQ(federation->truth().names, (Names{"rotate 0", "rotate 90", "rotate 180", "rotate 270"}));
  EXPECT_EQ(cluster_sizes(*federation), (std::vector<std::size_t>{2, 2, 2, 2}));
  for (ClientId i = 0; i < 8; ++i) {
    for (Part part : {Part::train, Part::test}) {
      const auto samples = federation->samples(i, part, 1);
      for (std::size_t r = 0; r < samples->size(); ++r) {
        EXPECT_EQ(turns(*samples, r), static_cast<int>(federation->info(i).truth));
      }
    }
  }
}

TEST(FederationGroups, BalancedSharesAreExact) {
  FederationSpec spec = pool_spec(numbered_pool(80, 2, 2), 10);
  add_shift(spec, "rotate", "angles = [0, 90, 180]", {0.5, 0.3, 0.2});
  EXPECT_EQ(cluster_sizes(*build(spec)), (std::vector<std::size_t>{5, 3, 2}));
  spec.clients.count = 11;  // 5.5, 3.3, 2.2
  EXPECT_EQ(cluster_sizes(*build(spec)), (std::vector<std::size_t>{6, 3, 2}));
}

TEST(FederationGroups, BalancedClientsComeInRandomOrder) {
  FederationSpec spec = pool_spec(numbered_pool(80, 2, 2), 20);
  add_shift(spec, "rotate", "angles = [0, 90]");
  const auto one = members(*build(spec, 1), 0), other = members(*build(spec, 2), 0);
  EXPECT_EQ(one, members(*build(spec, 1), 0));
  EXPECT_NE(one, other);
}

TEST(FederationGroups, InTurnTheLastClientsAreOfDifferentClusters) {
  FederationSpec spec = pool_spec(numbered_pool(80, 2, 2), 20);
  add_shift(spec, "rotate");
  spec.clients.deal = "in-turn";
  const auto federation = build(spec);
  for (ClientId i = 0; i < 20; ++i) EXPECT_EQ(federation->info(i).truth, i % 4);
}

TEST(FederationGroups, InBlocksOneClusterFollowsTheOther) {
  FederationSpec spec = pool_spec(numbered_pool(96, 2, 2), 24);
  add_shift(spec, "rotate");
  add_shift(spec, "label-noise", "rates = [0.0, 0.5]");
  spec.clients.deal = "in-blocks";
  const auto federation = build(spec);
  for (ClientId i = 0; i < 24; ++i) {
    EXPECT_EQ(federation->shifts(i)[0], "rotate " + std::to_string(i / 6 * 90));
    EXPECT_EQ(federation->shifts(i)[1],
              i % 6 < 3 ? "label noise 0" : "label noise 0.5");  // within each block
  }
}

TEST(FederationGroups, RandomClustersAreDrawnOneByOne) {
  FederationSpec spec = generator_spec({1, 2}, 1000, 5);
  spec.clients.deal = "random";
  const std::size_t first = cluster_sizes(*build(spec, 1))[0];
  EXPECT_NEAR(static_cast<double>(first), 500, 80);  // five standard deviations
  EXPECT_NE(first, cluster_sizes(*build(spec, 2))[0]);
  EXPECT_EQ(first, cluster_sizes(*build(spec, 1))[0]);
}

TEST(FederationGroups, StackedShiftsMultiplyAndStayBalanced) {
  FederationSpec spec = pool_spec(numbered_pool(160, 4, 2), 16);
  add_shift(spec, "rotate", "angles = [0, 90]");
  add_shift(spec, "permute-labels", "offsets = [0, 1, 2, 3]");
  const auto federation = build(spec);
  ASSERT_EQ(federation->truth().clusters, 8u);
  EXPECT_EQ(federation->truth().names[1], "rotate 0, labels +1");
  EXPECT_EQ(federation->truth().names[4], "rotate 90, labels +0");
  EXPECT_EQ(cluster_sizes(*federation), std::vector<std::size_t>(8, 2));
  for (ClientId i = 0; i < 16; ++i) {
    const auto samples = federation->samples(i, Part::train, 1);
    const std::uint32_t cluster = federation->info(i).truth;
    for (std::size_t r = 0; r < samples->size(); ++r) {
      EXPECT_EQ(turns(*samples, r), static_cast<int>(cluster / 4));
      EXPECT_EQ(samples->label(r), (row_number(*samples, r) + cluster) % 4);
    }
  }
}

TEST(FederationGroups, OnlyCombinationsThatOccurAreNumbered) {
  FederationSpec spec = pool_spec(numbered_pool(80, 4, 2), 2);
  add_shift(spec, "rotate", "angles = [0, 90]");
  add_shift(spec, "permute-labels", "offsets = [0, 1]");
  EXPECT_EQ(build(spec)->truth().clusters, 2u);
}

TEST(FederationGroups, ConceptsThatCoincideAreOneCluster) {
  FederationSpec spec = pool_spec(numbered_pool(90, 10, 2), 9);
  add_shift(spec, "permute-labels", "rule = \"rotate-first\"\nbeta = 0.2\nconcepts = 3");
  const auto federation = build(spec);
  EXPECT_EQ(federation->truth().names, (Names{"first labels +0", "first labels +1"}));
  EXPECT_EQ(cluster_sizes(*federation), (std::vector<std::size_t>{6, 3}));
}

TEST(FederationGroups, ShiftsThatAreNoTruthMakeNoClusters) {
  FederationSpec spec = pool_spec(numbered_pool(80, 4, 8), 8);
  add_shift(spec, "rotate", "angles = [0, 90]", {}, false);
  add_shift(spec, "label-noise", "rates = [0.0, 0.5]");
  const auto federation = build(spec);
  EXPECT_EQ(federation->truth().clusters, 1u);
  std::map<int, int> clients;
  for (ClientId i = 0; i < 8; ++i) ++clients[turns(*federation->samples(i, Part::train, 1), 0)];
  EXPECT_EQ(clients, (std::map<int, int>{{0, 4}, {1, 4}}));
  // The shared test set stands for both kinds of client, in both of its parts.
  for (Part part : {Part::train, Part::test}) {
    const auto shared = federation->samples(8, part, 1);
    std::map<int, int> rows;
    for (std::size_t r = 0; r < shared->size(); ++r) ++rows[turns(*shared, r)];
    EXPECT_EQ(rows, (std::map<int, int>{{0, 2}, {1, 2}}));
  }
}

TEST(FederationGroups, TruthCanBeForced) {
  FederationSpec spec = pool_spec(numbered_pool(80, 4, 8), 8);
  add_shift(spec, "label-noise", "rates = [0.0, 0.5]", {}, true);
  EXPECT_EQ(build(spec)->truth().names, (Names{"label noise 0", "label noise 0.5"}));
}

TEST(FederationGroups, NoiseSparesTestPartsUnlessToldOtherwise) {
  for (const bool noisy : {false, true}) {
    FederationSpec spec = pool_spec(numbered_pool(200, 4, 40), 4);
    add_shift(spec, "label-noise", noisy ? "rates = [1.0]\ntest = true" : "rates = [1.0]");
    const auto federation = build(spec);
    const auto wrong = [&](ClientId i, Part part) {
      const auto samples = federation->samples(i, part, 1);
      std::size_t count = 0;
      for (std::size_t r = 0; r < samples->size(); ++r)
        count += samples->label(r) != row_number(*samples, r) % 4;
      return count;
    };
    EXPECT_EQ(wrong(0, Part::train), 40u);
    EXPECT_EQ(wrong(0, Part::test), noisy ? 10u : 0u);
    EXPECT_EQ(wrong(4, Part::test), noisy ? 20u : 0u);
  }
}

TEST(FederationGroups, NoiseDiffersFromClientToClientAndEpochToEpoch) {
  FederationSpec spec = pool_spec(numbered_pool(200, 2, 2), 2);
  add_shift(spec, "label-noise", "rates = [0.5]");
  spec.data.redeal = "epoch";
  const auto federation = build(spec);
  const auto flips = [&](ClientId i, std::uint32_t round) {
    const auto samples = federation->samples(i, Part::train, round);
    std::vector<bool> flipped;
    for (std::size_t r = 0; r < samples->size(); ++r)
      flipped.push_back(samples->label(r) != row_number(*samples, r) % 2);
    return flipped;
  };
  EXPECT_EQ(flips(0, 1), flips(0, 1));
  EXPECT_NE(flips(0, 1), flips(1, 1));
  EXPECT_NE(flips(0, 1), flips(0, 2));
}

TEST(FederationGroups, DisjointClassesAreClusters) {
  FederationSpec spec = pool_spec(numbered_pool(100, 4, 40), 6, "classes", "disjoint = true");
  add_shift(spec, "rotate", "angles = [0, 90, 180]");
  spec.unseen.count = 6;
  const auto federation = build(spec);
  ASSERT_EQ(federation->truth().clusters, 6u);
  EXPECT_EQ(federation->truth().names[4], "classes 2 3, rotate 90");
  for (ClientId i = 0; i < federation->size(); ++i) {
    const std::uint32_t cluster = federation->info(i).truth;
    for (Part part : {Part::train, Part::test}) {
      const auto samples = federation->samples(i, part, 1);
      ASSERT_GT(samples->size(), 0u);
      for (std::size_t r = 0; r < samples->size(); ++r) EXPECT_EQ(samples->label(r) / 2, cluster / 3);
    }
  }
  spec.clients.reuse = "per-cluster";
  EXPECT_THROW(build(spec), Error);
}

TEST(FederationGroups, RefusesSharesThatDoNotFit) {
  const auto error = [](std::vector<double> shares) {
    FederationSpec spec = pool_spec(numbered_pool(80, 4, 8), 8);
    add_shift(spec, "rotate", "angles = [0, 90, 180]", std::move(shares));
    return error_of([&] { build(spec); });
  };
  EXPECT_NE(error({0.5, 0.5}).find("3 variants, but 2 shares"), std::string::npos);
  EXPECT_NE(error({0.5, 0.2, 0.2}).find("sum to 0.9"), std::string::npos);
  EXPECT_NE(error({1.5, -0.5, 0}).find("-0.5"), std::string::npos);
  EXPECT_EQ(error({0.33, 0.33, 0.33}), "");
}

TEST(FederationGroups, RefusesShiftsThatDoNotFitTheSamples) {
  FederationSpec spec = generator_spec({1}, 3, 5);
  add_shift(spec, "rotate");
  EXPECT_THROW(build(spec), Error);
}

}  // namespace
}  // namespace coterie::federation_groups_test
