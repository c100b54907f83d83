#include <gtest/gtest.h>

#include <numeric>

#include "support/deals.h"
#include "support/plugins.h"

namespace coterie::quantity_test {
namespace {

using Counts = std::vector<std::size_t>;

Counts generator_sizes(const Partition& partition, std::size_t clients, std::optional<std::size_t> samples) {
  Stream stream(1, {.purpose = Purpose::deal});
  return partition.sizes(clients, samples, stream);
}

TEST(Quantity, ReadsListsOfSizes) {
  const auto partition =
      make_plugin<Partition>("quantity", "sizes = [\"3x10\", \"2x50\", \"7\"]\nshuffle = false");
  const TestPool pool(200, 2);
  EXPECT_EQ(partition->client_count(pool.request), 6u);
  EXPECT_EQ(sizes_of(deal(*partition, pool.for_clients(6))), (Counts{10, 10, 10, 50, 50, 7}));
  EXPECT_EQ(generator_sizes(*partition, 6, std::nullopt), (Counts{10, 10, 10, 50, 50, 7}));
}

TEST(Quantity, ShufflesSizesUnlessToldNotTo) {
  const auto partition = make_plugin<Partition>("quantity", "sizes = [\"900x10\", \"20x50\"]");
  Counts sizes = generator_sizes(*partition, 920, std::nullopt);
  EXPECT_LT(std::count(sizes.begin(), sizes.begin() + 900, 10u), 900);
  std::sort(sizes.begin(), sizes.end());
  EXPECT_EQ(std::count(sizes.begin(), sizes.end(), 10u), 900);
  EXPECT_EQ(std::count(sizes.begin(), sizes.end(), 50u), 20);
}

// Of 125 rows 3 x 5 are the minimum; weights 1, 1/2 and 1/3 take 6/11, 3/11 and 2/11 of the other 110.
TEST(Quantity, FollowsThePowerLaw) {
  const auto partition = make_plugin<Partition>("quantity", "power = 1.0\nminimum = 5\nshuffle = false");
  const TestPool pool(125, 2);
  EXPECT_EQ(sizes_of(deal(*partition, pool.for_clients(3))), (Counts{65, 35, 25}));
  const auto flat = make_plugin<Partition>("quantity", "power = 0");
  EXPECT_EQ(sizes_of(deal(*flat, pool.for_clients(5))), Counts(5, 25));
}

TEST(Quantity, MakesSamplesTheMeanOfThePowerLaw) {
  const auto partition = make_plugin<Partition>("quantity", "power = 2.0\nminimum = 3");
  const Counts sizes = generator_sizes(*partition, 40, 25);
  EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}), 1000u);
  EXPECT_GE(*std::min_element(sizes.begin(), sizes.end()), 3u);
  EXPECT_GT(*std::max_element(sizes.begin(), sizes.end()), 300u);
}

TEST(Quantity, RefusesWhatCannotBeMet) {
  const TestPool pool(100, 2);
  const auto listed = make_plugin<Partition>("quantity", "sizes = [\"3x40\"]");
  const std::string error = error_of([&] { deal(*listed, pool.for_clients(3)); });
  EXPECT_NE(error.find("120"), std::string::npos) << error;
  EXPECT_NE(error.find("100"), std::string::npos) << error;
  EXPECT_THROW(deal(*listed, pool.for_clients(2)), Error);
  EXPECT_THROW(generator_sizes(*listed, 3, 10), Error);
  EXPECT_THROW(deal(*make_plugin<Partition>("quantity", "minimum = 60"), pool.for_clients(2)), Error);
  EXPECT_THROW(generator_sizes(*make_plugin<Partition>("quantity"), 3, std::nullopt), Error);
  for (const char* text : {"x", "3x", "x4", "0x4", "4x0", "3 x 4", "-1x4", "3x4x5", ""}) {
    EXPECT_THROW(make_plugin<Partition>("quantity", "sizes = [\"" + std::string(text) + "\"]"), BadConfig)
        << text;
  }
}

}  // namespace
}  // namespace coterie::quantity_test
