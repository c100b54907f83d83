#include <gtest/gtest.h>

#include "support/deals.h"
#include "support/plugins.h"

namespace coterie::grouped_test {
namespace {

std::set<std::uint32_t> owners_of(const std::vector<std::uint32_t>& hand, const TestPool& pool) {
  std::set<std::uint32_t> owners;
  for (std::uint32_t row : hand) owners.insert(pool.owner[row]);
  return owners;
}

TEST(Grouped, MakesClientsOfSeveralOwners) {
  const TestPool pool(70, 2, 7);
  const auto partition = make_plugin<Partition>("grouped", "per_client = 3");
  EXPECT_EQ(partition->client_count(pool.request), 3u);
  const Hands hands = deal(*partition, pool.for_clients(3));
  EXPECT_EQ(expect_disjoint(hands, 70), 70u);
  std::vector<std::size_t> counts;
  std::set<std::uint32_t> all;
  for (const auto& hand : hands) {
    const auto owners = owners_of(hand, pool);
    counts.push_back(owners.size());
    EXPECT_EQ(hand.size(), 10 * owners.size()) << "whole owners";
    all.insert(owners.begin(), owners.end());
  }
  std::sort(counts.begin(), counts.end());
  EXPECT_EQ(counts, (std::vector<std::size_t>{2, 2, 3})) << "shared out evenly";
  EXPECT_EQ(all.size(), 7u);
  EXPECT_NE(deal(*partition, pool.for_clients(3), 1), deal(*partition, pool.for_clients(3), 2));
}

TEST(Grouped, KeepsTheOrderOfTheDataIfAsked) {
  const TestPool pool(60, 2, 6);
  const auto partition = make_plugin<Partition>("grouped", "order = \"listed\"");
  const Hands hands = deal(*partition, pool.for_clients(3));
  EXPECT_EQ(owners_of(hands[1], pool), (std::set<std::uint32_t>{2, 3}));
  EXPECT_TRUE(partition->by_owner());
  EXPECT_TRUE(partition->mixes_owners());
}

TEST(Grouped, RefusesWhatCannotBe) {
  const TestPool pool(60, 2, 6);
  const auto partition = make_plugin<Partition>("grouped", "minimum = 10");
  EXPECT_NE(
      error_of([&] { deal(*partition, pool.for_clients(7)); }).find("7 clients wanted, but only 6 of 6"),
      std::string::npos);
  EXPECT_NE(error_of([&] { deal(*partition, pool.for_clients(6, 11)); }).find("have 10 samples together"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              deal(*make_plugin<Partition>("grouped", "minimum = 11"), pool.for_clients(1));
            }).find("none of 6 owners has at least 11"),
            std::string::npos);
  DealRequest nobody = pool.for_clients(2);
  nobody.owners = {};
  EXPECT_NE(error_of([&] { deal(*partition, nobody); }).find("names no owners"), std::string::npos);
}

}  // namespace
}  // namespace coterie::grouped_test
