#include <gtest/gtest.h>

#include "support/deals.h"
#include "support/plugins.h"

namespace coterie::natural_test {
namespace {

// Owners 0 .. 4 with 1, 2, 3, 4 and 5 rows, mixed up.
struct OwnedPool : TestPool {
  OwnedPool() : TestPool(15, 2) {
    owner = {4, 3, 2, 1, 0, 4, 3, 2, 1, 4, 3, 2, 4, 3, 4};
    request.owners = owner;
    request.owner_count = 5;
  }
};

TEST(Natural, MakesEveryOwnerAClient) {
  const OwnedPool pool;
  const auto partition = make_plugin<Partition>("natural");
  EXPECT_EQ(partition->client_count(pool.request), 5u);
  const Hands hands = deal(*partition, pool.for_clients(5));
  EXPECT_EQ(sizes_of(hands), (std::vector<std::size_t>{1, 2, 3, 4, 5}));
  EXPECT_EQ(hands[2], (std::vector<std::uint32_t>{2, 7, 11}));
}

TEST(Natural, LeavesOutSmallOwners) {
  const OwnedPool pool;
  const auto partition = make_plugin<Partition>("natural", "minimum = 3");
  EXPECT_EQ(partition->client_count(pool.request), 3u);
  EXPECT_EQ(sizes_of(deal(*partition, pool.for_clients(3))), (std::vector<std::size_t>{3, 4, 5}));
}

TEST(Natural, ChoosesAmongOwnersWhenFewerAreWanted) {
  const OwnedPool pool;
  const auto partition = make_plugin<Partition>("natural", "limit = 2");
  EXPECT_EQ(partition->client_count(pool.request), 2u);
  std::set<std::vector<std::size_t>> choices;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    choices.insert(sizes_of(deal(*partition, pool.for_clients(2), seed)));
  }
  EXPECT_GT(choices.size(), 5u);  // of ten pairs
  EXPECT_EQ(make_plugin<Partition>("natural", "limit = 50")->client_count(pool.request), 5u);
}

TEST(Natural, TakesSoManyRowsOfOwnersThatHaveThem) {
  const OwnedPool pool;
  DealRequest request = pool.for_clients(2, 4);
  const auto partition = make_plugin<Partition>("natural");
  EXPECT_EQ(partition->client_count(request), 2u);
  const Hands hands = deal(*partition, request);
  EXPECT_EQ(sizes_of(hands), (std::vector<std::size_t>{4, 4}));
  for (std::uint32_t row : hands[0]) EXPECT_EQ(pool.owner[row], 3u);
}

TEST(Natural, RefusesPoolsWithoutOwnersAndTooManyClients) {
  const OwnedPool pool;
  const auto partition = make_plugin<Partition>("natural", "minimum = 4");
  const std::string error = error_of([&] { deal(*partition, pool.for_clients(3)); });
  EXPECT_NE(error.find("3 clients wanted, but only 2 of 5 owners"), std::string::npos) << error;
  DealRequest nobody = pool.for_clients(3);
  nobody.owners = {};
  EXPECT_THROW(deal(*partition, nobody), Error);
  EXPECT_THROW(make_plugin<Partition>("natural", "minimum = 9")->client_count(pool.request), Error);
}

}  // namespace
}  // namespace coterie::natural_test
