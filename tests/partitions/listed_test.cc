#include <gtest/gtest.h>

#include "support/deals.h"
#include "support/plugins.h"

namespace coterie::listed_test {
namespace {

std::vector<std::size_t> counts_of(const std::vector<std::uint32_t>& hand, const TestPool& pool) {
  std::vector<std::size_t> counts(pool.request.classes, 0);
  for (std::uint32_t row : hand) ++counts[static_cast<std::size_t>(pool.labels[row])];
  return counts;
}

TEST(Listed, ClientsTakeTheDistributionsInTurn) {
  const TestPool pool(300, 3);
  const auto partition = make_plugin<Partition>("listed", "distributions = [[0.7, 0.2, 0.1], [1, 0, 3]]");
  const Hands hands = deal(*partition, pool.for_clients(3, 20));
  EXPECT_EQ(counts_of(hands[0], pool), (std::vector<std::size_t>{14, 4, 2}));
  EXPECT_EQ(counts_of(hands[1], pool), (std::vector<std::size_t>{5, 0, 15}));
  EXPECT_EQ(counts_of(hands[2], pool), (std::vector<std::size_t>{14, 4, 2}));
  expect_disjoint(hands, 300);
}

// 100 rows of each class; class 0 is wanted by .75 + .5 of a client's rows: 80 rows each.
TEST(Listed, TheScarcestClassSaysHowManyRowsClientsHave) {
  const TestPool pool(300, 3);
  const auto partition = make_plugin<Partition>("listed", "distributions = [[3, 1, 0], [2, 1, 1]]");
  const Hands hands = deal(*partition, pool.for_clients(2));
  EXPECT_EQ(counts_of(hands[0], pool), (std::vector<std::size_t>{60, 20, 0}));
  EXPECT_EQ(counts_of(hands[1], pool), (std::vector<std::size_t>{40, 20, 20}));
}

TEST(Listed, RefusesWhatCannotBe) {
  const TestPool pool(30, 3);
  const auto error = [&](const std::string& lists, std::size_t clients, std::optional<std::size_t> samples) {
    const auto partition = make_plugin<Partition>("listed", "distributions = " + lists);
    return error_of([&] { deal(*partition, pool.for_clients(clients, samples)); });
  };
  EXPECT_NE(error("[[1, 1]]", 2, {}).find("distribution 1 has 2 shares, but the data has 3 classes"),
            std::string::npos);
  EXPECT_NE(
      error("[[0, 0, 1]]", 2, 6).find("2 clients with 6 rows each need more rows of class 2 than the 10"),
      std::string::npos);
  EXPECT_NE(error("[[0, 1, 0]]", 11, {}).find("class 1"), std::string::npos) << error("[[0, 1, 0]]", 11, {});
  EXPECT_THROW(make_plugin<Partition>("listed", "distributions = [[0, 0]]"), BadConfig);
  EXPECT_THROW(make_plugin<Partition>("listed", "distributions = [[-1, 2]]"), BadConfig);
}

}  // namespace
}  // namespace coterie::listed_test
