#include <gtest/gtest.h>

#include "support/deals.h"
#include "support/plugins.h"

namespace coterie::shards_test {
namespace {

// McMahan's: 100 clients, two shards of 300 each of 60,000 rows of ten classes.
TEST(ShardsPartition, GivesEveryClientTwoShards) {
  const TestPool pool(6000, 10);
  const auto partition = make_plugin<Partition>("shards");
  const Hands hands = deal(*partition, pool.for_clients(100));
  EXPECT_EQ(expect_disjoint(hands, 6000), 6000u);
  std::size_t two = 0;
  for (const auto& hand : hands) {
    EXPECT_EQ(hand.size(), 60u);
    const auto classes = classes_of(hand, pool.request);
    EXPECT_LE(classes.size(), 2u) << "600 rows of a class are 20 whole shards";
    two += classes.size() == 2;
  }
  EXPECT_GT(two, 70u);
  EXPECT_LT(two, 100u) << "some get two shards of one class";
}

TEST(ShardsPartition, AShardMayCrossFromOneClassToTheNext) {
  const TestPool pool(30, 3);
  const auto partition = make_plugin<Partition>("shards", "per_client = 1");
  const Hands hands = deal(*partition, pool.for_clients(4));  // shards of 7 or 8 rows, classes of 10
  std::size_t mixed = 0;
  for (const auto& hand : hands) mixed += classes_of(hand, pool.request).size() == 2;
  EXPECT_EQ(mixed, 2u);
}

TEST(ShardsPartition, TakesSamplesEvenlyFromAClientsShards) {
  const TestPool pool(400, 4);
  const auto partition = make_plugin<Partition>("shards");
  const Hands hands = deal(*partition, pool.for_clients(4, 31));
  for (const auto& hand : hands) {
    EXPECT_EQ(hand.size(), 31u);
    std::vector<std::size_t> counts(4, 0);
    for (std::uint32_t row : hand) ++counts[static_cast<std::size_t>(pool.labels[row])];
    for (std::size_t count : counts) EXPECT_TRUE(count == 0 || count == 15 || count == 16 || count == 31);
  }
  const std::string error = error_of([&] { deal(*partition, pool.for_clients(4, 101)); });
  EXPECT_NE(error.find("needs shards of 51 rows, but 8 shards of 400 rows have 50"), std::string::npos)
      << error;
}

}  // namespace
}  // namespace coterie::shards_test
