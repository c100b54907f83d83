#include "coterie/fold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "coterie/methods/slots.h"
#include "coterie/random.h"
#include "fleet/ranks.h"

namespace coterie::fold_test {
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

TEST(Slots, RefuseAWeightThatIsNegativeOrNotFinite) {
  const Sums sums(1, 2, 10);
  const Numbers values = Vec{1, 2};
  EXPECT_EQ(sums.refuse(0, 0, values), "");
  EXPECT_EQ(sums.refuse(0, 3, values), "");
  for (const double bad : {kInf, -kInf, -1e-300, std::nan("")}) {
    EXPECT_NE(sums.refuse(0, bad, values).find("its weight is"), std::string::npos) << bad;
  }
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
    EXPECT_EQ(sums.members(0), kClients);
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

// A vector that must be read in pieces of whole steps.
template <class Real>
Numbers late(std::vector<Real> values, std::size_t step) {
  double bound = 0;
  for (const Real value : values) bound = std::max(bound, std::fabs(static_cast<double>(value)));
  return Late<Real>{values.size(), step, bound, [values, step](std::size_t begin, std::span<Real> out) {
                      const std::size_t end = begin + out.size();
                      check(begin % step == 0 && (end % step == 0 || end == values.size()), "a torn step");
                      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(begin), out.size(),
                                  out.begin());
                    }};
}

// Whole vectors and late ones with several steps share slots: all the same bits.
TEST(Sums, ABlockIsItsPartsOneByOne) {
  Stream stream(8, {Purpose::test});
  const std::vector<std::size_t> widths = {10001, 4096, 3, 9000};
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<Numbers> vectors;
    std::vector<Vec> plain;
    std::vector<std::pair<std::size_t, double>> shares;
    for (std::size_t i = 0; i < 9; ++i) {
      const std::size_t slot = stream.below(3);
      shares.emplace_back(slot, stream.uniform(0, 2));
      std::vector<float> values(widths[slot]);
      for (float& value : values) value = static_cast<float>(stream.normal());
      plain.emplace_back(values.begin(), values.end());
      const std::size_t steps[] = {200, 7, 5000};
      switch (stream.below(4)) {
        case 0:
          vectors.push_back(Room<float>(values.begin(), values.end()));
          break;
        case 1:
          vectors.push_back(plain.back());
          break;
        case 2:
          vectors.push_back(late<double>(plain.back(), steps[stream.below(3)]));
          break;
        default:
          vectors.push_back(late<float>(values, steps[stream.below(3)]));
      }
    }
    Sums block(widths, 20), one_by_one(widths, 20), of_doubles(widths, 20);
    for (Sums* sums : {&block, &one_by_one, &of_doubles}) sums->open(1);
    std::vector<Slots::Piece> pieces;
    for (std::size_t i = 0; i < vectors.size(); ++i) {
      const auto client = static_cast<ClientId>(i);
      const auto& [slot, weight] = shares[i];
      EXPECT_EQ(block.refuse(slot, weight, vectors[i]), "");
      pieces.push_back({client, slot, weight, &vectors[i]});
      one_by_one.add(0, client, slot, weight, vectors[i]);
      of_doubles.add(0, client, slot, weight, plain[i]);
    }
    block.add_block(0, pieces);
    for (Sums* sums : {&block, &one_by_one, &of_doubles}) sums->close();
    for (std::size_t slot = 0; slot < widths.size(); ++slot) {
      EXPECT_EQ(block.sum(slot), of_doubles.sum(slot));
      EXPECT_EQ(one_by_one.sum(slot), of_doubles.sum(slot));
      EXPECT_EQ(block.weight(slot), of_doubles.weight(slot));
      EXPECT_EQ(block.members(slot), of_doubles.members(slot));
    }
  }
}

// With limit 1024 and a total weight of 1 the grid is 2^-52, and one way of rounding ends at 2^51 steps: 1/2.
TEST(Sums, BothWaysRoundToNearestEven) {
  constexpr double kStep = 0x1p-52;
  Vec small = {0.5 - kStep / 2, 0.5 - kStep, -0.5 + kStep / 2, 0, -0.0};
  for (int k = 0; k < 20; ++k) {
    small.push_back((k + 0.5) * kStep);  // ties
    small.push_back(-(k + 0.5) * kStep);
    small.push_back(0.25 + (k + 0.5) * kStep);
    small.push_back(-0.25 + (k + 0.25) * kStep);
  }
  Vec at_edge = small, beyond = small;
  at_edge.push_back(0.5);
  beyond.push_back(-0.75);
  for (const Vec& values : {small, at_edge, beyond}) {
    for (const double weight : {1.0, 0.999, 0.3, 1e-3}) {
      Sums sums(1, values.size(), 1, 1024);
      sums.open(1);
      sums.add(0, 0, 0, weight, values);
      sums.close();
      const Vec got = sums.sum(0);
      for (std::size_t j = 0; j < values.size(); ++j) {
        EXPECT_EQ(got[j] / kStep, static_cast<double>(std::llrint(weight / kStep * values[j]))) << values[j];
      }
    }
  }
}

TEST(Slots, RefusesLateVectorsByTheirValuesNotByTheirBound) {
  const Sums sums(1, 2, 10, 100);
  const auto made = [](double bound, Vec values) {
    return Numbers(Late<double>{2, 1, bound, [values](std::size_t begin, std::span<double> out) {
                                  std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(begin), out.size(),
                                              out.begin());
                                }});
  };
  EXPECT_EQ(sums.refuse(0, 1, made(99, {1, 2})), "");
  EXPECT_EQ(sums.refuse(0, 1, made(1e6, {1, 100})), "");
  EXPECT_EQ(sums.refuse(0, 1, made(std::nan(""), {1, 100})), "");
  EXPECT_NE(sums.refuse(0, 1, made(1e6, {1, 101})), "");
  EXPECT_NE(sums.refuse(0, 1, made(std::nan(""), {1, std::nan("")})), "");
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
  EXPECT_NE(sums.refuse(0, kInf, Vec{1, 2}), "");
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

// Of two points Krum's scores are equal, and the first client's wins.
TEST(Robust, RulesMeetClientsInRisingOrder) {
  const auto krum = Registry<Aggregator>::instance().make("krum");
  Robust robust({1}, *krum);
  robust.open(2);
  robust.add(0, 9, 0, 1, Vec{5});
  robust.add(1, 4, 0, 1, Vec{1});
  robust.close();
  EXPECT_EQ(robust.mean(0), (Vec{1}));
}

TEST(Robust, VectorsOfWeightZeroAreNotCombined) {
  const auto median = Registry<Aggregator>::instance().make("median");
  Robust robust({1}, *median);
  robust.open(1);
  robust.add(0, 0, 0, 1, Vec{5});
  for (ClientId i = 1; i < 4; ++i) robust.add(0, i, 0, 0, Vec{100});
  robust.close();
  EXPECT_EQ(robust.mean(0), (Vec{5}));
}

// Krum makes one copy more than a median does.
TEST(Robust, ReckonsWithTheCopiesThatARuleMakes) {
  const auto krum = Registry<Aggregator>::instance().make("krum");
  const auto median = Registry<Aggregator>::instance().make("median");
  ASSERT_EQ(krum->copies(), median->copies() + 1);
  EXPECT_EQ(Robust({10}, *krum).bytes_each(), Robust({10}, *median).bytes_each() + 10 * sizeof(double));
}

struct Reply {
  double value = 0;
  void fields(Archive& a) { a(value); }
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

// All that clients told is there once: as parts, until close() puts them in order.
TEST(Collect, LetsGoOfItsItemsWhenTheyAreMerged) {
  Collect<Reply, double> collect([](Reply& r) { return r.value; });
  collect.open(1);
  Reply a{1}, b{2};
  collect.add(0, 20, a);
  collect.add(0, 10, b);
  collect.merge(alone());
  EXPECT_EQ(collect.items.capacity(), 0u);
  collect.close();
  EXPECT_EQ(collect.items, (std::vector<std::pair<ClientId, double>>{{10, 2}, {20, 1}}));
}

}  // namespace
}  // namespace coterie::fold_test
