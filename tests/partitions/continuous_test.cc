#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "data/row_property.h"
#include "support/deals.h"
#include "support/plugins.h"

namespace coterie::continuous_test {
namespace {

// Rows whose property is their number times 7 modulo 100.
struct NumberedPool : TestPool {
  NumberedPool() : TestPool(100, 2) {
    request.property = [](const std::string& name) {
      EXPECT_EQ(name, "age");
      Vec values;
      for (int i = 0; i < 100; ++i) values.push_back(i * 7 % 100);
      return values;
    };
  }
};
double mean_of(const std::vector<std::uint32_t>& hand) {
  double sum = 0;
  for (std::uint32_t row : hand) sum += row * 7 % 100;
  return sum / static_cast<double>(hand.size());
}

TEST(Continuous, StrictPiecesFollowEachOther) {
  const NumberedPool pool;
  const auto partition = make_plugin<Partition>("continuous", "by = \"age\"");
  const Hands hands = deal(*partition, pool.for_clients(5));
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(hands[i].size(), 20u);
    EXPECT_EQ(mean_of(hands[i]), 20.0 * static_cast<double>(i) + 9.5);
  }
  EXPECT_EQ(sizes_of(deal(*partition, pool.for_clients(5, 3))), (std::vector<std::size_t>(5, 3)));
}

TEST(Continuous, StrictnessGoesFromARandomDealToTheStrictOne) {
  const NumberedPool pool;
  double before = -1e9;
  for (const char* strictness : {"0", "0.4", "0.7", "1"}) {
    const auto partition =
        make_plugin<Partition>("continuous", std::string("by = \"age\"\nstrictness = ") + strictness);
    double apart = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const Hands hands = deal(*partition, pool.for_clients(2), seed);
      apart += (mean_of(hands[1]) - mean_of(hands[0])) / 20;
    }
    EXPECT_GT(apart, before) << strictness;
    before = apart;
    if (strictness[0] == '0' && strictness[1] == '\0') {
      EXPECT_NEAR(apart, 0, 8);
    }
  }
  EXPECT_EQ(before, 50);
}

TEST(Continuous, WhatIsMissingCountsAsTheMean) {
  TestPool pool(3, 1);
  pool.request.property = [](const std::string&) {
    return Vec{10, std::numeric_limits<double>::quiet_NaN(), -10};
  };
  const auto partition = make_plugin<Partition>("continuous");
  EXPECT_EQ(deal(*partition, pool.for_clients(3)), (Hands{{2}, {1}, {0}}));
}

TEST(Continuous, TiesTheRowsButNotTheOwners) {
  const auto partition = make_plugin<Partition>("continuous");
  EXPECT_EQ(partition->exchange(), Exchange::nowhere);
  EXPECT_FALSE(partition->by_owner());
  const TestPool pool(10, 2);
  const std::string error =
      error_of([&] { deal(*make_plugin<Partition>("continuous", "by = \"age\""), pool.for_clients(2)); });
  EXPECT_NE(error.find("no property \"age\""), std::string::npos) << error;
}

TEST(RowProperty, TellsTargetsFeaturesAndColumns) {
  Pool pool;
  pool.train.shape = {.task = Task::regression, .width = 2};
  pool.train.features = std::vector<double>{1, 3, 5, 5, 0, 8};
  pool.train.targets = {7, 8, 9};
  const std::vector<std::uint32_t> rows = {2, 0};
  EXPECT_EQ(row_property(pool, rows, "target"), (Vec{9, 7}));
  EXPECT_EQ(row_property(pool, rows, "mean"), (Vec{4, 2}));
  EXPECT_EQ(row_property(pool, rows, "deviation"), (Vec{4, 1}));
  EXPECT_EQ(row_property(pool, rows, "1"), (Vec{8, 3}));
  pool.table.emplace();
  pool.table->features.resize(2);
  pool.table->features[0].column = "age";
  pool.table->features[1].column = "ward";
  pool.table->features[1].value = "a";
  EXPECT_EQ(row_property(pool, rows, "age"), (Vec{0, 1}));
  for (const char* name : {"ward", "agee", "2", "-1", "1x"}) {
    const std::string error = error_of([&] { row_property(pool, rows, name); });
    EXPECT_NE(error.find("is unknown"), std::string::npos) << error;
    EXPECT_NE(error.find("from 0 to 1"), std::string::npos) << error;
  }
}

}  // namespace
}  // namespace coterie::continuous_test
