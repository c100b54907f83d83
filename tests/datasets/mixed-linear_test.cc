#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "datasets/open_source.h"

namespace coterie::mixed_linear_test {
namespace {

// y - <x, theta>, row by row.
std::vector<double> residuals(const Samples& samples, const Vec& theta) {
  std::vector<double> rest(samples.targets), row(samples.shape.width);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples.copy_row(i, row);
    for (std::size_t j = 0; j < row.size(); ++j) rest[i] -= row[j] * theta[j];
  }
  return rest;
}

TEST(MixedLinear, SaysWhatItIs) {
  auto population = open_source("mixed-linear", "clusters = 3\ndimension = 7\nshares = [0.2, 0.3, 0.5]");
  EXPECT_EQ(population->shape(), (Shape{.task = Task::regression, .width = 7}));
  EXPECT_EQ(population->groups(), 3u);
  EXPECT_EQ(population->shares(), (std::vector<double>{0.2, 0.3, 0.5}));
  EXPECT_EQ(population->pool(), nullptr);
  EXPECT_EQ(truth(*population, 2).size(), 7u);
}

TEST(MixedLinear, WithoutNoiseTheTargetIsTheProduct) {
  for (const char* toml :
       {"noise = 0", "noise = 0\nactive = 3",
        "noise = 0\nclusters = 1\ndimension = 2\ncovariance = \"given\"\ncovariances = [[2, 1, 1, 2]]"}) {
    auto population = open_source("mixed-linear", toml);
    Samples samples = draw(*population, population->groups() - 1, 100);
    for (double rest : residuals(samples, truth(*population, population->groups() - 1))) {
      EXPECT_NEAR(rest, 0, 1e-12);
    }
  }
}

TEST(MixedLinear, NoiseHasItsDeviation) {
  auto population = open_source("mixed-linear", "noise = 0.2");
  const std::size_t n = 20000;
  double sum = 0, squares = 0;
  for (double rest : residuals(draw(*population, 0, n), truth(*population, 0))) {
    sum += rest;
    squares += rest * rest;
  }
  EXPECT_NEAR(sum / n, 0, 5 * 0.2 / std::sqrt(n));
  EXPECT_NEAR(squares / n, 0.04, 5 * 0.04 * std::sqrt(2.0 / n));
}

TEST(MixedLinear, FeaturesDoNotDependOnTheNoise) {
  Samples calm = draw(*open_source("mixed-linear", "noise = 0"), 1, 50);
  Samples loud = draw(*open_source("mixed-linear", "noise = 3"), 1, 50);
  EXPECT_EQ(calm.features, loud.features);
  EXPECT_NE(calm.targets, loud.targets);
}

TEST(MixedLinear, FeaturesHaveTheirMeanAndCovariance) {
  auto population = open_source("mixed-linear",
                                "clusters = 3\ndimension = 2\nmean = \"given\"\nmeans = [[0], [5], [-1, 2]]\n"
                                "covariance = \"given\"\ncovariances = [[1], [4, 9], [2, -1, -1, 3]]");
  const double means[3][2] = {{0, 0}, {5, 5}, {-1, 2}};
  const double covariances[3][3] = {{1, 0, 1}, {4, 0, 9}, {2, -1, 3}};
  const std::size_t n = 40000;
  for (std::size_t g = 0; g < 3; ++g) {
    Samples samples = draw(*population, g, n);
    Moments moments(samples);
    const double* c = covariances[g];
    EXPECT_NEAR(moments.mean(0), means[g][0], 5 * std::sqrt(c[0] / n));
    EXPECT_NEAR(moments.mean(1), means[g][1], 5 * std::sqrt(c[2] / n));
    EXPECT_NEAR(moments.covariance(0, 0), c[0], 5 * c[0] * std::sqrt(2.0 / n));
    EXPECT_NEAR(moments.covariance(1, 1), c[2], 5 * c[2] * std::sqrt(2.0 / n));
    EXPECT_NEAR(moments.covariance(0, 1), c[1], 5 * std::sqrt((c[0] * c[2] + c[1] * c[1]) / n));
  }
}

TEST(MixedLinear, ExactlyTheActiveCoordinatesAreNotZero) {
  auto population = open_source("mixed-linear", "dimension = 20\nactive = 5");
  const std::size_t n = 4000;
  Samples samples = draw(*population, 0, n);
  std::vector<double> row(20);
  std::vector<std::size_t> used(20);
  double squares = 0;
  for (std::size_t i = 0; i < n; ++i) {
    samples.copy_row(i, row);
    EXPECT_EQ(std::count(row.begin(), row.end(), 0.0), 15);
    for (std::size_t j = 0; j < 20; ++j) {
      used[j] += row[j] != 0;
      squares += row[j] * row[j];
    }
  }
  // Each coordinate is chosen in a quarter of the samples, and is a standard normal then.
  for (std::size_t count : used) EXPECT_NEAR(count, n / 4.0, 5 * std::sqrt(n * 0.25 * 0.75));
  EXPECT_NEAR(squares / (5 * n), 1, 5 * std::sqrt(2.0 / (5 * n)));
}

TEST(MixedLinear, EveryPairOfActiveCoordinatesIsEquallyLikely) {
  auto population = open_source("mixed-linear", "dimension = 4\nactive = 2");
  const std::size_t n = 12000;
  Samples samples = draw(*population, 0, n);
  std::vector<double> row(4);
  std::map<int, double> pairs;
  for (std::size_t i = 0; i < n; ++i) {
    samples.copy_row(i, row);
    int mask = 0;
    for (int j = 0; j < 4; ++j) mask |= (row[static_cast<std::size_t>(j)] != 0) << j;
    pairs[mask] += 1;
  }
  ASSERT_EQ(pairs.size(), 6u);
  for (const auto& [mask, count] : pairs) EXPECT_NEAR(count, n / 6.0, 5 * std::sqrt(n * 5.0 / 36)) << mask;
}

TEST(MixedLinear, EarlierSamplesDoNotDependOnHowManyFollow) {
  for (const char* toml :
       {"dimension = 3", "dimension = 40", "dimension = 20\nactive = 5",
        "clusters = 2\ndimension = 2\ncovariance = \"given\"\ncovariances = [[2, 1, 1, 2], [1]]"}) {
    EXPECT_TRUE(draws_are_prefixes(*open_source("mixed-linear", toml), 0)) << toml;
  }
}

TEST(MixedLinear, ClientsDrawDifferentSamplesFromTheSameTruth) {
  auto population = open_source("mixed-linear", "");
  EXPECT_NE(draw(*population, 0, 5, 1).features, draw(*population, 0, 5, 2).features);
  EXPECT_EQ(draw(*population, 0, 5, 1).features, draw(*population, 0, 5, 1).features);
}

// Set-ups of the papers, as their configs would write them.
TEST(MixedLinear, ExpressesThePapers) {
  // Federated-Clustering 4.1: theta in {0, 100}^10, x ~ N(k, 1), no noise.
  auto fc = open_source(
      "mixed-linear",
      "clusters = 4\ndimension = 10\nparameters = \"bernoulli\"\nradius = 100\nmean = \"index\"\nnoise = 0");
  for (std::size_t k = 0; k < 4; ++k) {
    for (double x : truth(*fc, k)) EXPECT_TRUE(x == 0 || x == 100);
    Samples samples = draw(*fc, k, 5000);
    EXPECT_NEAR(Moments(samples).mean(3), static_cast<double>(k + 1), 5 / std::sqrt(5000.0));
    for (double rest : residuals(samples, truth(*fc, k))) EXPECT_NEAR(rest, 0, 1e-9);
  }
  // ODCL 5: ten clusters on positive and negative intervals, five active coordinates, unit noise.
  auto odcl = open_source(
      "mixed-linear",
      "clusters = 10\ndimension = 20\nactive = 5\nnoise = 1\nparameters = \"intervals\"\n"
      "intervals = [[1,2],[4,5],[7,8],[10,11],[13,14],[-2,-1],[-5,-4],[-8,-7],[-11,-10],[-14,-13]]");
  for (double x : truth(*odcl, 9)) EXPECT_TRUE(x >= -14 && x <= -13);
  // IFCA 6.1 as printed: norm R.
  auto ifca = open_source("mixed-linear",
                          "clusters = 2\ndimension = 1000\nparameters = \"bernoulli\"\nradius = 0.1\nrescale "
                          "= true\nnoise = 0.1");
  double square = 0;
  for (double x : truth(*ifca, 1)) square += x * x;
  EXPECT_NEAR(std::sqrt(square), 0.1, 1e-12);
}

TEST(MixedLinear, RefusesNegativeNoise) {
  EXPECT_THROW(open_source("mixed-linear", "noise = -1"), BadConfig);
}

}  // namespace
}  // namespace coterie::mixed_linear_test
