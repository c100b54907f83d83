#include <gtest/gtest.h>

#include <cmath>

#include "support/deals.h"
#include "support/plugins.h"

namespace coterie::dirichlet_test {
namespace {

std::vector<double> class_counts(const std::vector<std::uint32_t>& hand, const DealRequest& request) {
  std::vector<double> counts(request.classes, 0.0);
  for (std::uint32_t row : hand) ++counts[static_cast<std::size_t>(request.labels[row])];
  return counts;
}

// The share of a client's most frequent class, averaged over clients.
double skew(const Hands& hands, const DealRequest& request) {
  double sum = 0;
  for (const auto& hand : hands) {
    const std::vector<double> counts = class_counts(hand, request);
    sum += *std::max_element(counts.begin(), counts.end()) / static_cast<double>(hand.size());
  }
  return sum / static_cast<double>(hands.size());
}

TEST(Dirichlet, HonoursTheMinimumAtVerySmallAlpha) {
  const TestPool pool(1000, 10);
  for (const char* rule : {"class", "client"}) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const auto partition = make_plugin<Partition>(
          "dirichlet", "alpha = 0.001\nminimum = 20\nrule = \"" + std::string(rule) + "\"");
      const Hands hands = deal(*partition, pool.for_clients(50), seed);
      EXPECT_EQ(expect_disjoint(hands, 1000), 1000u);
      for (std::size_t size : sizes_of(hands)) EXPECT_EQ(size, 20u);  // 50 x 20 is all there is
    }
  }
}

TEST(Dirichlet, MovesNoMoreRowsThanTheMinimumNeeds) {
  const TestPool pool(1000, 2);
  const auto partition = make_plugin<Partition>("dirichlet", "alpha = 0.001\nminimum = 3");
  std::vector<std::size_t> sizes = sizes_of(deal(*partition, pool.for_clients(20)));
  std::sort(sizes.begin(), sizes.end());
  // At this alpha each class has one holder, so at most two clients keep more than they were lent.
  for (std::size_t i = 0; i < 18; ++i) EXPECT_EQ(sizes[i], 3u);
}

TEST(Dirichlet, SaysWhichNumbersDoNotFit) {
  const TestPool pool(90, 3);
  const std::string error =
      error_of([&] { deal(*make_plugin<Partition>("dirichlet", "minimum = 10"), pool.for_clients(10)); });
  EXPECT_NE(error.find("10 clients x 10 samples need 100 rows, the pool has 90"), std::string::npos) << error;
}

TEST(Dirichlet, GrowsEvenWithAlpha) {
  const TestPool pool(10000, 10);
  for (const char* rule : {"class", "client"}) {
    const auto at = [&](const std::string& alpha) {
      const auto partition =
          make_plugin<Partition>("dirichlet", "alpha = " + alpha + "\nrule = \"" + rule + "\"");
      return skew(deal(*partition, pool.for_clients(20)), pool.request);
    };
    EXPECT_GT(at("0.01"), 0.8) << rule;
    EXPECT_LT(at("10000.0"), 0.2) << rule;
    EXPECT_GT(at("0.1"), at("1.0")) << rule;
  }
}

// Shares of one class over n clients have mean 1/n and variance (1/n)(1 - 1/n)/(n alpha + 1).
TEST(Dirichlet, SplitsAClassWithTheVarianceOfTheDistribution) {
  const TestPool pool(20000, 1);
  const auto partition = make_plugin<Partition>("dirichlet", "alpha = 2.0\nminimum = 1");
  double sum = 0, squares = 0;
  const int trials = 100, clients = 10;
  for (int seed = 0; seed < trials; ++seed) {
    for (std::size_t size :
         sizes_of(deal(*partition, pool.for_clients(clients), static_cast<std::uint64_t>(seed)))) {
      const double share = static_cast<double>(size) / 20000;
      sum += share;
      squares += share * share;
    }
  }
  const double mean = sum / (trials * clients);
  EXPECT_NEAR(mean, 0.1, 1e-12);
  EXPECT_NEAR(squares / (trials * clients) - mean * mean, 0.1 * 0.9 / 21, 0.0008);
}

// With alpha = 1 over ten equal classes the first client's mixture is Dirichlet(0.1, ..., 0.1). The sum of
// its squares has mean 10 x 0.1 x 1.1 / (1 x 2) = 0.55; a symmetric Dirichlet(1) would give 10 x 1 x 2 / (10
// x 11) = 0.18.
TEST(Dirichlet, ByClientIsAsSkewedAsThePublishedCode) {
  const TestPool pool(20000, 10);
  const auto partition = make_plugin<Partition>("dirichlet", "alpha = 1.0\nrule = \"client\"");
  double sum = 0;
  const int trials = 300;
  for (int seed = 0; seed < trials; ++seed) {
    const Hands hands = deal(*partition, pool.for_clients(100), static_cast<std::uint64_t>(seed));
    const std::vector<double> counts = class_counts(hands[0], pool.request);
    for (double count : counts) sum += (count / 200) * (count / 200);
  }
  EXPECT_NEAR(sum / trials, 0.55, 0.05);
}

TEST(Dirichlet, ByClientGivesEqualSizesAndDropsExhaustedClasses) {
  const TestPool pool(1003, 10);
  const auto partition = make_plugin<Partition>("dirichlet", "alpha = 0.5\nrule = \"client\"");
  const Hands hands = deal(*partition, pool.for_clients(10));
  EXPECT_EQ(expect_disjoint(hands, 1003), 1003u);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(hands[i].size(), i < 3 ? 101u : 100u);
  EXPECT_EQ(sizes_of(deal(*partition, pool.for_clients(10, 40))), std::vector<std::size_t>(10, 40));
}

// The sum of squares of a symmetric Dirichlet(1) over ten classes has mean 10 x 1 x 2 / (10 x 11) = 2/11,
// also when the classes are of unequal size: here the first has half of the rows.
TEST(Dirichlet, SymmetricTakesAllClassesAlike) {
  TestPool pool(20000, 10);
  for (std::size_t row = 0; row < 8889; ++row) pool.labels[row] = 0;
  const auto partition = make_plugin<Partition>("dirichlet", "alpha = 1.0\nrule = \"symmetric\"");
  double squares = 0, first = 0;
  const int trials = 300;
  for (int seed = 0; seed < trials; ++seed) {
    const Hands hands = deal(*partition, pool.for_clients(100), static_cast<std::uint64_t>(seed));
    const std::vector<double> counts = class_counts(hands[0], pool.request);
    for (double count : counts) squares += (count / 200) * (count / 200);
    first += counts[0] / 200;
  }
  EXPECT_NEAR(squares / trials, 2.0 / 11, 0.02);
  EXPECT_NEAR(first / trials, 0.1, 0.03);
}

// 1000 rows, 10 for each of 4 clients and 960 in proportion to 1, 1/2, 1/3, 1/4: 460.8, 230.4, 153.6, 115.2.
TEST(Dirichlet, SizesFollowAPowerLaw) {
  const TestPool pool(1000, 5);
  for (const std::string rule : {"client", "symmetric"}) {
    const auto partition =
        make_plugin<Partition>("dirichlet", "power = 1\nminimum = 10\nrule = \"" + rule + "\"");
    const Hands hands = deal(*partition, pool.for_clients(4));
    EXPECT_EQ(expect_disjoint(hands, 1000), 1000u);
    std::vector<std::size_t> sizes = sizes_of(hands);
    std::sort(sizes.begin(), sizes.end());
    EXPECT_EQ(sizes, (std::vector<std::size_t>{125, 164, 240, 471}));
  }
  EXPECT_THROW(make_plugin<Partition>("dirichlet", "power = 1"), BadConfig);
}

TEST(Dirichlet, RefusesRegressionAndSamplesItCannotPromise) {
  TestPool pool(100, 2);
  EXPECT_THROW(deal(*make_plugin<Partition>("dirichlet"), pool.for_clients(5, 10)), Error);
  const auto client = make_plugin<Partition>("dirichlet", "rule = \"client\"\nminimum = 5");
  EXPECT_THROW(deal(*client, pool.for_clients(5, 21)), Error);
  EXPECT_THROW(deal(*client, pool.for_clients(5, 4)), Error);
  pool.request.labels = {};
  EXPECT_THROW(deal(*client, pool.for_clients(5)), Error);
  EXPECT_THROW(make_plugin<Partition>("dirichlet", "alpha = 0"), BadConfig);
}

}  // namespace
}  // namespace coterie::dirichlet_test
