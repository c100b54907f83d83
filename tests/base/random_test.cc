#include "coterie/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <string>

#include "coterie/error.h"

namespace coterie::random_test {
namespace {

Stream stream(std::uint32_t client = 0) { return Stream(20240607, {Purpose::test, 0, 0, client}); }

struct Moments {
  double mean = 0, variance = 0;
};
Moments moments(const std::vector<double>& values) {
  Moments m;
  for (double x : values) m.mean += x / static_cast<double>(values.size());
  for (double x : values) m.variance += (x - m.mean) * (x - m.mean) / static_cast<double>(values.size());
  return m;
}

template <class Draw>
std::vector<double> draws(std::size_t count, Draw draw) {
  std::vector<double> values(count);
  for (double& x : values) x = draw();
  return values;
}

// Chi-square of counts against equal expectation, in deviations from its mean (for many draws nearly normal).
double chi_square_z(const std::vector<std::size_t>& counts) {
  double total = 0, chi = 0;
  for (std::size_t c : counts) total += static_cast<double>(c);
  double expected = total / static_cast<double>(counts.size());
  for (std::size_t c : counts) chi += std::pow(static_cast<double>(c) - expected, 2) / expected;
  double freedom = static_cast<double>(counts.size()) - 1;
  return (chi - freedom) / std::sqrt(2 * freedom);
}

// Kolmogorov-Smirnov distance times sqrt(n): above 1.95 with probability 0.001.
template <class Distribution>
double kolmogorov(std::vector<double> values, Distribution below) {
  std::sort(values.begin(), values.end());
  double n = static_cast<double>(values.size()), distance = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    double p = below(values[i]);
    distance = std::max({distance, p - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - p});
  }
  return distance * std::sqrt(n);
}

TEST(Philox, GivesThePublishedVectors) {
  using Block = std::array<std::uint32_t, 4>;
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Stream, IsPhiloxOverItsName) {
  Stream s(0x0123456789abcdef, {Purpose::deal, 7, 3, 42});
  std::uint32_t tag = static_cast<std::uint32_t>(Purpose::deal) << 16 | 3;
  for (std::uint32_t position = 0; position < 3; ++position) {
    auto block = philox({position, 42, 7, tag}, {0x89abcdef, 0x01234567});
    for (std::uint32_t word : block) EXPECT_EQ(s.bits32(), word);
  }
  Stream again(0x0123456789abcdef, {Purpose::deal, 7, 3, 42});
  std::uint64_t low = again.bits32(), high = again.bits32();
  Stream wide(0x0123456789abcdef, {Purpose::deal, 7, 3, 42});
  EXPECT_EQ(wide.bits64(), high << 32 | low);
}

TEST(Stream, DiffersInEveryPartOfItsName) {
  std::vector<std::uint64_t> firsts;
  auto add = [&](std::uint64_t seed, Stream::Name name) { firsts.push_back(Stream(seed, name).bits64()); };
  add(1, {});
  add(2, {});
  add(1ull << 32, {});
  add(1, {Purpose::init, 0, 0, 0});
  add(1, {Purpose::test, 1, 0, 0});
  add(1, {Purpose::test, 0, 1, 0});
  add(1, {Purpose::test, 0, 0, 1});
  std::sort(firsts.begin(), firsts.end());
  EXPECT_EQ(std::unique(firsts.begin(), firsts.end()), firsts.end());
}

TEST(Uniform, IsFlat) {
  Stream s = stream();
  std::vector<std::size_t> counts(100);
  std::vector<double> values = draws(200000, [&] { return s.uniform(); });
  for (double x : values) {
    ASSERT_GE(x, 0);
    ASSERT_LT(x, 1);
    ++counts[static_cast<std::size_t>(x * 100)];
  }
  EXPECT_LT(std::abs(chi_square_z(counts)), 4);
  EXPECT_NEAR(moments(values).mean, 0.5, 4 * std::sqrt(1.0 / 12 / 200000));
  EXPECT_LT(kolmogorov(values, [](double x) { return x; }), 1.95);
}

TEST(Uniform, StaysInItsInterval) {
  Stream s = stream();
  std::vector<double> values = draws(10000, [&] { return s.uniform(-3, 5); });
  EXPECT_GE(*std::min_element(values.begin(), values.end()), -3);
  EXPECT_LT(*std::max_element(values.begin(), values.end()), 5);
  EXPECT_NEAR(moments(values).mean, 1, 4 * 8 / std::sqrt(12.0 * 10000));
}

TEST(Below, IsUnbiased) {
  Stream s = stream();
  std::vector<std::size_t> counts(7);
  for (int i = 0; i < 70000; ++i) ++counts.at(s.below(7));
  EXPECT_LT(std::abs(chi_square_z(counts)), 4);
  EXPECT_EQ(s.below(1), 0u);
  EXPECT_THROW(s.below(0), Bug);
}

// With a bound of three quarters of the range a plain remainder or product would favour a third of the
// results two to one.
TEST(Below, IsUnbiasedForLargeBounds) {
  for (std::uint64_t bound : {std::uint64_t{3} << 30, std::uint64_t{3} << 62}) {
    Stream s = stream();
    std::vector<std::size_t> thirds(3), residues(3);
    for (int i = 0; i < 60000; ++i) {
      std::uint64_t x = s.below(bound);
      ASSERT_LT(x, bound);
      ++thirds[x / (bound / 3)];
      ++residues[x % 3];
    }
    EXPECT_LT(std::abs(chi_square_z(thirds)), 4) << bound;
    EXPECT_LT(std::abs(chi_square_z(residues)), 4) << bound;
  }
}

TEST(Bernoulli, HitsItsProbability) {
  Stream s = stream();
  int hits = 0;
  for (int i = 0; i < 100000; ++i) hits += s.bernoulli(0.3);
  EXPECT_NEAR(hits, 30000, 4 * std::sqrt(100000 * 0.21));
  for (int i = 0; i < 1000; ++i) {
    ASSERT_FALSE(s.bernoulli(0));
    ASSERT_TRUE(s.bernoulli(1));
  }
}

TEST(Normal, IsBoxMullerOfOneBlock) {
  for (std::uint32_t client = 0; client < 2000; ++client) {
    Stream s = stream(client);
    auto block = philox({0, client, 0, static_cast<std::uint32_t>(Purpose::test) << 16}, {20240607, 0});
    std::uint64_t a = std::uint64_t{block[1]} << 32 | block[0], b = std::uint64_t{block[3]} << 32 | block[2];
    long double u = 1 - static_cast<long double>(a >> 12) / 4503599627370496.0L;
    long double angle = 2 * std::numbers::pi_v<long double> * (b >> 12) / 4503599627370496.0L;
    long double radius = std::sqrt(-2 * std::log(u));
    EXPECT_NEAR(s.normal(), static_cast<double>(radius * std::cos(angle)), 4e-15) << client;
    EXPECT_NEAR(s.normal(), static_cast<double>(radius * std::sin(angle)), 4e-15) << client;
  }
}

TEST(Normal, IsNormal) {
  Stream s = stream();
  std::vector<double> values(400000);
  s.normals(values);
  double n = static_cast<double>(values.size());
  Moments m = moments(values);
  EXPECT_NEAR(m.mean, 0, 4 / std::sqrt(n));
  EXPECT_NEAR(m.variance, 1, 4 * std::sqrt(2 / n));
  double third = 0, fourth = 0, neighbours = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    third += std::pow(values[i], 3) / n;
    fourth += std::pow(values[i], 4) / n;
    neighbours += values[i] * values[i ^ 1] / n;
  }
  EXPECT_NEAR(third, 0, 4 * std::sqrt(15 / n));
  EXPECT_NEAR(fourth, 3, 4 * std::sqrt(96 / n));
  EXPECT_NEAR(neighbours, 0, 4 * std::sqrt(2 / n));
  EXPECT_LT(kolmogorov(values, [](double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }), 1.95);
}

TEST(Normals, AreTheSameOneByOneOrTogether) {
  for (std::size_t before : {0, 1, 2, 3}) {
    for (std::size_t count : {0, 1, 2, 31, 32, 33, 64, 100, 257}) {
      Stream one = stream(), many = stream();
      for (std::size_t i = 0; i < before; ++i) {
        one.bits32();
        many.bits32();
        one.normal();
        many.normal();
      }
      std::vector<double> together(count);
      many.normals(together);
      for (std::size_t i = 0; i < count; ++i)
        ASSERT_EQ(together[i], one.normal()) << before << " " << count << " " << i;
      EXPECT_EQ(many.normal(), one.normal());
      EXPECT_EQ(many.bits32(), one.bits32());
    }
  }
}

TEST(Gamma, HasItsMeanAndVariance) {
  for (double shape : {0.05, 0.5, 1.0, 2.5, 100.0}) {
    Stream s = stream();
    constexpr double kCount = 100000;
    std::vector<double> values = draws(kCount, [&] { return s.gamma(shape); });
    Moments m = moments(values);
    EXPECT_NEAR(m.mean, shape, 4 * std::sqrt(shape / kCount)) << shape;
    // The fourth central moment of a gamma is 3 shape^2 + 6 shape.
    EXPECT_NEAR(m.variance, shape, 4 * std::sqrt((2 * shape * shape + 6 * shape) / kCount)) << shape;
  }
}

TEST(Gamma, OfShapeOneAndHalfAreKnownDistributions) {
  Stream s = stream();
  EXPECT_LT(kolmogorov(draws(100000, [&] { return s.gamma(1); }), [](double x) { return 1 - std::exp(-x); }),
            1.95);
  // Half the square of a normal.
  EXPECT_LT(kolmogorov(draws(100000, [&] { return s.gamma(0.5); }),
                       [](double x) { return std::erf(std::sqrt(x)); }),
            1.95);
  EXPECT_THROW(s.gamma(0), Bug);
  EXPECT_THROW(s.gamma(std::nan("")), Bug);
}

TEST(Dirichlet, HasItsMeans) {
  Stream s = stream();
  std::vector<double> shapes = {0.5, 1, 2.5}, sums(3), squares(3);
  constexpr int kCount = 50000;
  for (int i = 0; i < kCount; ++i) {
    std::vector<double> x = s.dirichlet(shapes);
    ASSERT_NEAR(x[0] + x[1] + x[2], 1, 1e-12);
    for (int j = 0; j < 3; ++j) {
      sums[j] += x[j];
      squares[j] += x[j] * x[j];
    }
  }
  for (int j = 0; j < 3; ++j) {
    double mean = shapes[j] / 4, variance = mean * (1 - mean) / 5;
    EXPECT_NEAR(sums[j] / kCount, mean, 4 * std::sqrt(variance / kCount));
    EXPECT_NEAR(squares[j] / kCount - mean * mean, variance, 0.02 * variance + 1e-3);
  }
}

// The smaller the shapes, the nearer to all on one entry, drawn in proportion to the shapes.
TEST(Dirichlet, SurvivesTinyShapes) {
  for (double scale : {1e-3, 1e-30, 1e-300, 5e-324}) {
    Stream s = stream();
    std::vector<double> shapes = {scale, 3 * scale};
    double first = 0;
    constexpr int kCount = 4000;
    for (int i = 0; i < kCount; ++i) {
      std::vector<double> x = s.dirichlet(shapes);
      ASSERT_NEAR(x[0] + x[1], 1, 1e-12) << scale;
      ASSERT_GE(x[0], 0) << scale;
      first += x[0];
    }
    EXPECT_NEAR(first / kCount, 0.25, 4 * std::sqrt(0.25 * 0.75 / kCount)) << scale;
  }
}

TEST(Index, FollowsItsWeights) {
  Stream s = stream();
  std::vector<double> weights = {0, 1, 0, 3, 0};
  std::vector<int> counts(5);
  for (int i = 0; i < 40000; ++i) ++counts[s.index(weights)];
  EXPECT_EQ(counts[0] + counts[2] + counts[4], 0);
  EXPECT_NEAR(counts[1], 10000, 4 * std::sqrt(40000 * 0.1875));
  EXPECT_THROW(s.index(std::vector<double>{0, 0}), Bug);
  EXPECT_THROW(s.index(std::vector<double>{1, -1}), Bug);
  EXPECT_THROW(s.index(std::vector<double>{}), Bug);
}

TEST(Permutation, GivesEveryOrderEquallyOften) {
  Stream s = stream();
  std::map<std::vector<std::uint32_t>, std::size_t> seen;
  for (int i = 0; i < 24000; ++i) ++seen[s.permutation(4)];
  ASSERT_EQ(seen.size(), 24u);
  std::vector<std::size_t> counts;
  for (const auto& [order, count] : seen) counts.push_back(count);
  EXPECT_LT(std::abs(chi_square_z(counts)), 4);
  EXPECT_TRUE(s.permutation(0).empty());
}

TEST(Shuffle, KeepsTheItems) {
  Stream s = stream();
  std::vector<std::string> items = {"a", "b", "c", "d", "e", "f", "g", "h"}, before = items;
  s.shuffle(std::span(items));
  EXPECT_NE(items, before);
  std::sort(items.begin(), items.end());
  EXPECT_EQ(items, before);
}

TEST(Sample, GivesEverySubsetEquallyOften) {
  Stream s = stream();
  std::map<std::vector<std::uint32_t>, std::size_t> seen;
  for (int i = 0; i < 20000; ++i) ++seen[s.sample(6, 3)];
  ASSERT_EQ(seen.size(), 20u);
  std::vector<std::size_t> counts;
  for (const auto& [subset, count] : seen) counts.push_back(count);
  EXPECT_LT(std::abs(chi_square_z(counts)), 4);
}

TEST(Sample, IsFlatWhenFewOfManyAreChosen) {
  Stream s = stream();
  std::vector<std::size_t> counts(200);
  for (int i = 0; i < 20000; ++i) {
    for (std::uint32_t number : s.sample(200, 5)) ++counts.at(number);
  }
  // Drawn without replacement, counts spread less than the chi-square's, by (200 - 5) / 199: not visible
  // here.
  EXPECT_LT(std::abs(chi_square_z(counts)), 4);
}

TEST(Sample, IsAscendingAndWithoutRepeats) {
  Stream s = stream();
  struct Case {
    std::size_t count, size;
  };
  for (auto [count, size] : {Case{0, 0}, {5, 0}, {5, 5}, {1000, 999}, {1000000, 100}, {4000000000, 20}}) {
    std::vector<std::uint32_t> chosen = s.sample(count, size);
    ASSERT_EQ(chosen.size(), size);
    for (std::size_t i = 0; i < size; ++i) {
      ASSERT_LT(chosen[i], count);
      ASSERT_TRUE(i == 0 || chosen[i - 1] < chosen[i]);
    }
  }
  EXPECT_THROW(s.sample(3, 4), Bug);
}

}  // namespace
}  // namespace coterie::random_test
