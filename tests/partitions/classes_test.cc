#include <gtest/gtest.h>

#include <map>

#include "support/deals.h"
#include "support/plugins.h"

namespace coterie::classes_test {
namespace {

TEST(Classes, GivesEveryClientExactlySoManyClasses) {
  const TestPool pool(1003, 10);
  for (std::size_t each : {1, 2, 3, 7, 10}) {
    const auto partition = make_plugin<Partition>("classes", "per_client = " + std::to_string(each));
    for (std::size_t clients : {10, 13, 50}) {
      const Hands hands = deal(*partition, pool.for_clients(clients));
      EXPECT_EQ(expect_disjoint(hands, 1003), 1003u);
      std::vector<std::size_t> holders(10, 0);
      for (const auto& hand : hands) {
        EXPECT_EQ(classes_of(hand, pool.request).size(), each);
        for (std::uint32_t label : classes_of(hand, pool.request)) ++holders[label];
      }
      const auto [fewest, most] = std::minmax_element(holders.begin(), holders.end());
      EXPECT_LE(*most - *fewest, 1u) << clients << " clients x " << each;
    }
  }
}

TEST(Classes, SplitsTheRowsOfAClassEvenly) {
  const TestPool pool(1000, 10);
  const Hands hands = deal(*make_plugin<Partition>("classes", "per_client = 2"), pool.for_clients(20));
  // 40 places for 10 classes: 4 clients share the 100 rows of each class.
  for (std::size_t size : sizes_of(hands)) EXPECT_EQ(size, 50u);
}

TEST(Classes, PairsDifferFromClientToClient) {
  const TestPool pool(1000, 10);
  const Hands hands = deal(*make_plugin<Partition>("classes"), pool.for_clients(50));
  std::set<std::set<std::uint32_t>> pairs;
  for (const auto& hand : hands) pairs.insert(classes_of(hand, pool.request));
  EXPECT_GT(pairs.size(), 10u);
}

TEST(Classes, DealsDisjointSetsInTurn) {
  const TestPool pool(1000, 10);
  const auto partition = make_plugin<Partition>("classes", "disjoint = true");
  const auto sets = partition->class_sets(10);
  ASSERT_EQ(sets.size(), 5u);
  EXPECT_EQ(sets[1], (std::vector<std::uint32_t>{2, 3}));
  const Hands hands = deal(*partition, pool.for_clients(12));
  EXPECT_EQ(expect_disjoint(hands, 1000), 1000u);
  for (std::size_t i = 0; i < 12; ++i) {
    const auto& set = sets[i % 5];
    EXPECT_EQ(classes_of(hands[i], pool.request), std::set<std::uint32_t>(set.begin(), set.end()));
  }
  EXPECT_TRUE(make_plugin<Partition>("classes")->class_sets(10).empty());
}

TEST(Classes, KeepsToSamplesWithEveryClass) {
  const TestPool pool(1000, 10);
  const Hands hands = deal(*make_plugin<Partition>("classes", "per_client = 3"), pool.for_clients(20, 7));
  for (const auto& hand : hands) {
    EXPECT_EQ(hand.size(), 7u);
    EXPECT_EQ(classes_of(hand, pool.request).size(), 3u);
  }
}

TEST(Classes, ClientsHaveEquallyManySamplesOfEachClass) {
  const TestPool pool(1000, 2);
  const Hands hands = deal(*make_plugin<Partition>("classes", "per_client = 2"), pool.for_clients(100, 4));
  for (const auto& hand : hands) {
    ASSERT_EQ(hand.size(), 4u);
    double ones = 0;
    for (std::uint32_t row : hand) ones += pool.request.labels[row];
    EXPECT_EQ(ones, 2);
  }
}

TEST(Classes, RefusesWhatCannotBeMet) {
  const TestPool pool(100, 10);
  const auto two = make_plugin<Partition>("classes", "per_client = 2");
  EXPECT_NE(error_of([&] {
              deal(*two, pool.for_clients(4));
            }).find("4 clients x 2 classes have 8 places for 10 classes"),
            std::string::npos);
  EXPECT_NE(error_of([&] { deal(*two, pool.for_clients(100)); }).find("has 10 rows for 20 clients"),
            std::string::npos);
  EXPECT_THROW(deal(*make_plugin<Partition>("classes", "per_client = 11"), pool.for_clients(5)), Error);
  EXPECT_THROW(make_plugin<Partition>("classes", "per_client = 3\ndisjoint = true")->class_sets(10), Error);
  const auto disjoint = make_plugin<Partition>("classes", "disjoint = true");
  EXPECT_THROW(deal(*disjoint, pool.for_clients(4)), Error);
  EXPECT_THROW(deal(*two, pool.for_clients(10, 11)), Error);
}

}  // namespace
}  // namespace coterie::classes_test
