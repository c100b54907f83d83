#include <gtest/gtest.h>

#include "support/deals.h"
#include "support/plugins.h"

namespace coterie::iid_test {
namespace {

TEST(Iid, SizesDifferByAtMostOne) {
  const TestPool pool(10, 2);
  const auto partition = make_plugin<Partition>("iid");
  EXPECT_EQ(sizes_of(deal(*partition, pool.for_clients(4))), (std::vector<std::size_t>{3, 3, 2, 2}));
  EXPECT_EQ(sizes_of(deal(*partition, pool.for_clients(1))), (std::vector<std::size_t>{10}));
}

TEST(Iid, GivesEachClientSoManySamples) {
  const TestPool pool(100, 2);
  EXPECT_EQ(sizes_of(deal(*make_plugin<Partition>("iid"), pool.for_clients(3, 30))),
            (std::vector<std::size_t>{30, 30, 30}));
}

TEST(Iid, SaysWhichNumbersDoNotFit) {
  const TestPool pool(1437, 10);
  const std::string error =
      error_of([&] { deal(*make_plugin<Partition>("iid"), pool.for_clients(48, 100)); });
  EXPECT_NE(error.find("48 clients x 100 samples need 4800 rows, the pool has 1437"), std::string::npos)
      << error;
}

TEST(Iid, MixesTheRows) {
  const TestPool pool(1000, 2);
  const Hands hands = deal(*make_plugin<Partition>("iid"), pool.for_clients(2));
  // Of 500 rows about 250 come from the first half; five standard deviations (11 each) are 55.
  const auto early =
      std::count_if(hands[0].begin(), hands[0].end(), [](std::uint32_t row) { return row < 500; });
  EXPECT_NEAR(static_cast<double>(early), 250, 55);
  EXPECT_NE(hands, deal(*make_plugin<Partition>("iid"), pool.for_clients(2), 2));
}

TEST(Iid, NeedsSamplesForAGenerator) {
  const auto partition = make_plugin<Partition>("iid");
  Stream stream(1, {.purpose = Purpose::deal});
  EXPECT_EQ(partition->sizes(3, 7, stream), (std::vector<std::size_t>{7, 7, 7}));
  EXPECT_THROW(partition->sizes(3, std::nullopt, stream), Error);
}

}  // namespace
}  // namespace coterie::iid_test
