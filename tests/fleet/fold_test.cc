#include "coterie/fold.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "coterie/random.h"

namespace coterie {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(Sums, IsTheWeightedMean) {
  Sums sums(2, 2, 10);
  sums.open(1);
  sums.add(0, 0, 0, 1, Vec{1, 2});
  sums.add(0, 1, 0, 3, Vec{5, -2});
  sums.close();
  EXPECT_EQ(sums.mean(0), (Vec{4, -1}));
  EXPECT_EQ(sums.sum(0), (Vec{16, -4}));
  EXPECT_EQ(sums.weight(0), 4);
  EXPECT_EQ(sums.members(0), 2u);
}

TEST(Sums, ASlotThatNobodyUsedHasNoMean) {
  Sums sums(2, 2, 10);
  sums.open(3);
  sums.add(1, 0, 0, 1, Vec{1, 2});
  sums.close();
  EXPECT_EQ(sums.mean(1), std::nullopt);
  EXPECT_EQ(sums.mean_or(1, {7, 8}), (Vec{7, 8}));
  EXPECT_EQ(sums.sum(1), (Vec{0, 0}));
  EXPECT_EQ(sums.members(1), 0u);
}

TEST(Sums, SlotsMayDifferInSize) {
  Sums sums(std::vector<std::size_t>{1, 3}, 5);
  sums.open(1);
  sums.add(0, 0, 1, 2, Vec{1, 2, 3});
  sums.close();
  EXPECT_EQ(sums.mean(1), (Vec{1, 2, 3}));
  EXPECT_EQ(sums.width(0), 1u);
}

// The same contributions in any order over any number of workers, to the bit.
TEST(Sums, OrderAndWorkersDoNotMatter) {
  Stream stream(3, {Purpose::test});
  constexpr std::size_t kClients = 200;
  constexpr std::size_t kWidth = 1100;  // more than one chunk
  std::vector<Vec> vectors(kClients, Vec(kWidth));
  Vec weights(kClients);
  double total = 0;
  for (std::size_t i = 0; i < kClients; ++i) {
    for (double& v : vectors[i]) v = stream.normal() * std::pow(10, stream.uniform(-8, 2));
    weights[i] = stream.uniform(0, 3);
    total += weights[i];
  }
  auto run = [&](const std::vector<std::uint32_t>& order, unsigned workers) {
    Sums sums(1, kWidth, total);
    sums.open(workers);
    for (std::size_t j = 0; j < order.size(); ++j) {
      std::uint32_t i = order[j];
      sums.add(static_cast<unsigned>(j) % workers, i, 0, weights[i], vectors[i]);
    }
    sums.close();
    return *sums.mean(0);
  };
  Vec first = run(stream.permutation(kClients), 1);
  for (unsigned workers : {1u, 2u, 7u}) EXPECT_EQ(run(stream.permutation(kClients), workers), first);
  // And it is the mean, to far better than a float.
  for (std::size_t j = 0; j < kWidth; j += 97) {
    long double sum = 0;
    for (std::size_t i = 0; i < kClients; ++i) sum += static_cast<long double>(weights[i]) * vectors[i][j];
    EXPECT_NEAR(first[j], static_cast<double>(sum / total), 1e-12);
  }
}

TEST(Sums, LargeAndSmallValuesRoundAlike) {
  // Below 2^51 on the grid one code path rounds, above it another; both to nearest even.
  Sums sums(1, 2, 1, 1024);
  sums.open(1);
  sums.add(0, 0, 0, 1, Vec{1000.0, 1e-9});
  sums.close();
  EXPECT_EQ((*sums.mean(0))[0], 1000.0);
  EXPECT_NEAR((*sums.mean(0))[1], 1e-9, 1e-15);
}

TEST(Sums, HoldsTheLargestSumItPromises) {
  constexpr int kClients = 1000;
  Sums sums(1, 1, kClients * 50.0, 1024);
  sums.open(1);
  for (int i = 0; i < kClients; ++i) sums.add(0, 0, 0, 50, Vec{-1024});
  sums.close();
  EXPECT_EQ((*sums.mean(0))[0], -1024);
}

TEST(Sums, MoreWeightThanPromisedIsABug) {
  Sums sums(1, 1, 2);
  sums.open(1);
  sums.add(0, 0, 0, 3, Vec{1});
  EXPECT_THROW(sums.close(), Bug);
}

TEST(Slots, RefusesWhatCannotBeAdded) {
  Sums sums(2, 2, 10, 100);
  EXPECT_EQ(sums.refuse(0, 1, Vec{1, 100}), "");
  EXPECT_EQ(sums.refuse(0, 0, Vec{1, 2}), "");
  EXPECT_NE(sums.refuse(2, 1, Vec{1, 2}), "");
  EXPECT_NE(sums.refuse(0, -1, Vec{1, 2}), "");
  EXPECT_NE(sums.refuse(0, std::nan(""), Vec{1, 2}), "");
  EXPECT_NE(sums.refuse(0, 1, Vec{1}), "");
  EXPECT_NE(sums.refuse(0, 1, Vec{1, kInf}), "");
  EXPECT_NE(sums.refuse(0, 1, Vec{1, std::nan("")}), "");
  EXPECT_NE(sums.refuse(0, 1, Vec{1, -100.5}), "");
}

TEST(Robust, WithTheMeanEqualsSumsInAnyOrder) {
  auto mean = Registry<Aggregator>::instance().make("mean");
  Robust robust({2, 2}, *mean);
  robust.open(2);
  robust.add(1, 9, 0, 3, Vec{5, -2});
  robust.add(0, 4, 0, 1, Vec{1, 2});
  robust.close();
  EXPECT_EQ(robust.mean(0), (Vec{4, -1}));
  EXPECT_EQ(robust.mean(1), std::nullopt);
  EXPECT_EQ(robust.weight(0), 4);
  EXPECT_EQ(robust.members(0), 2u);
  EXPECT_GT(robust.bytes_each(), 2 * sizeof(double));
}

struct Reply {
  double value = 0;
};

TEST(Collect, IsInOrderOfClient) {
  Collect<Reply, double> collect([](Reply& r) { return r.value; },
                                 [](ClientId, const Reply& r) { return r.value < 0 ? "negative" : ""; });
  collect.open(2);
  Reply a{1}, b{2}, c{3};
  collect.add(1, 30, a);
  collect.add(0, 20, b);
  collect.add(1, 10, c);
  collect.close();
  EXPECT_EQ(collect.items, (std::vector<std::pair<ClientId, double>>{{10, 3}, {20, 2}, {30, 1}}));
  EXPECT_EQ(collect.refuse(1, {-1}), "negative");
}

}  // namespace
}  // namespace coterie
