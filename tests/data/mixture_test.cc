#include "data/mixture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "coterie/error.h"
#include "data/error_text.h"
#include "support/plugins.h"

namespace coterie::mixture_test {
namespace {

std::vector<MixtureGroup> groups(const std::string& toml, std::uint64_t seed = 1) {
  MixtureSetup mixture;
  set_options(mixture, toml);
  return mixture.groups(seed);
}
std::string refusal(const std::string& toml) {
  return error_text<BadConfig>([&] { groups(toml); });
}

double norm(const Vec& v) {
  double sum = 0;
  for (double x : v) sum += x * x;
  return std::sqrt(sum);
}

TEST(Mixture, BernoulliParametersAreRadiusOrZero) {
  auto made = groups("clusters = 3\ndimension = 2000\nparameters = \"bernoulli\"\nradius = 0.25");
  ASSERT_EQ(made.size(), 3u);
  for (const auto& group : made) {
    ASSERT_EQ(group.theta.size(), 2000u);
    const auto ones = std::count(group.theta.begin(), group.theta.end(), 0.25);
    EXPECT_EQ(ones + std::count(group.theta.begin(), group.theta.end(), 0.0), 2000);
    EXPECT_NEAR(static_cast<double>(ones), 1000, 5 * std::sqrt(500.0));
  }
  EXPECT_NE(made[0].theta, made[1].theta);
}

TEST(Mixture, RescaledParametersHaveTheRadiusAsNorm) {
  for (const char* kind : {"bernoulli", "gaussian"}) {
    auto made = groups("clusters = 4\ndimension = 50\nradius = 0.7\nrescale = true\nparameters = \"" +
                       std::string(kind) + "\"");
    for (const auto& group : made) EXPECT_NEAR(norm(group.theta), 0.7, 1e-12);
  }
  // Every 0-1 vector of two coordinates but zero.
  auto all = groups("clusters = 3\ndimension = 2\nrescale = true\nparameters = \"bernoulli\"");
  std::set<Vec> different;
  for (const auto& group : all) different.insert(group.theta);
  EXPECT_EQ(different.size(), 3u);
  EXPECT_EQ(different.count({0, 0}), 0u);
}

TEST(Mixture, GaussianParametersHaveTheDeviationOfFedMd) {
  // theta ~ (2 / sqrt d) N(0, I): the squares of 4 * 10000 coordinates sum to 4 * 4, give or take.
  auto made = groups("clusters = 4\ndimension = 10000\nradius = 2");
  double squares = 0, sum = 0;
  for (const auto& group : made) {
    for (double x : group.theta) {
      squares += x * x;
      sum += x;
    }
  }
  EXPECT_NEAR(squares / 16, 1, 5 * std::sqrt(2.0 / 40000));
  EXPECT_NEAR(sum, 0, 5 * 0.02 * 200);
}

TEST(Mixture, IntervalParametersStayInTheirInterval) {
  auto made =
      groups("clusters = 2\ndimension = 1000\nparameters = \"intervals\"\nintervals = [[1, 2], [-14, -13]]");
  for (std::size_t g = 0; g < 2; ++g) {
    const double low = g == 0 ? 1 : -14;
    double sum = 0;
    for (double x : made[g].theta) {
      EXPECT_GE(x, low);
      EXPECT_LT(x, low + 1);
      sum += x - low;
    }
    EXPECT_NEAR(sum / 1000, 0.5, 5 * std::sqrt(1.0 / 12000));
  }
}

TEST(Mixture, ParametersDependOnTheSeedAndNotOnOtherGroups) {
  auto three = groups("clusters = 3", 5), two = groups("clusters = 2", 5), other = groups("clusters = 2", 6);
  EXPECT_EQ(three[1].theta, two[1].theta);
  EXPECT_NE(two[0].theta, other[0].theta);
}

TEST(Mixture, MeansAreAsAsked) {
  auto mean = [](const std::string& toml) {
    auto made = groups("clusters = 2\ndimension = 2\n" + toml);
    return std::pair(made[0].mean, made[1].mean);
  };
  EXPECT_EQ(mean(""), (std::pair<Vec, Vec>{{0, 0}, {0, 0}}));
  EXPECT_EQ(mean("mean = \"index\""), (std::pair<Vec, Vec>{{1, 1}, {2, 2}}));
  EXPECT_EQ(mean("mean = \"index-from-zero\""), (std::pair<Vec, Vec>{{0, 0}, {1, 1}}));
  EXPECT_EQ(mean("mean = \"given\"\nmeans = [[3], [4, 5]]"), (std::pair<Vec, Vec>{{3, 3}, {4, 5}}));
}

TEST(Mixture, CovariancesAreFactored) {
  auto made = groups(
      "clusters = 3\ndimension = 2\ncovariance = \"given\"\ncovariances = [[4], [9, 16], [4, 2, 2, 10]]");
  EXPECT_EQ(made[0].deviations, (Vec{2, 2}));
  EXPECT_EQ(made[1].deviations, (Vec{3, 4}));
  EXPECT_EQ(made[2].factor, (Vec{2, 0, 1, 3}));  // [[2,0],[1,3]] times its transpose
}

TEST(Mixture, RepairsACovarianceOnlyWhenAsked) {
  const std::string third =
      "clusters = 1\ndimension = 2\ncovariance = \"given\"\ncovariances = [[1, 2, 2, 1]]\n";
  EXPECT_NE(refusal(third).find("list 1 is not positive semidefinite"), std::string::npos);
  Vec f = groups(third + "repair = true")[0].factor;  // of [[2,1],[1,2]]
  EXPECT_NEAR(f[0] * f[0], 2, 1e-12);
  EXPECT_NEAR(f[0] * f[2], 1, 1e-12);
  EXPECT_NEAR(f[2] * f[2] + f[3] * f[3], 2, 1e-12);
}

TEST(Mixture, RefusesOptionsThatDoNotFitTogether) {
  const std::pair<const char*, const char*> cases[] = {
      {"shares = [0.5, 0.2, 0.3]", "shares = [0.5, 0.2, 0.3]: must have 2 numbers"},
      {"shares = [0.5, 0.6]", "must sum to 1"},
      {"parameters = \"intervals\"", "intervals: must have 2 lists"},
      {"parameters = \"intervals\"\nintervals = [[1, 2], [3]]", "each must be [low, high]"},
      {"parameters = \"intervals\"\nintervals = [[1, 2], [4, 3]]", "each must be [low, high]"},
      {"intervals = [[1, 2], [3, 4]]", "needs parameters = \"intervals\""},
      {"parameters = \"given\"\ngiven = [[1, 2]]\ndimension = 2", "must have 2 lists"},
      {"parameters = \"given\"\ngiven = [[1, 2], [1]]\ndimension = 2", "must have 2 numbers, the dimension"},
      {"given = [[1], [2]]", "needs parameters = \"given\""},
      {"parameters = \"given\"\ngiven = [[1], [2]]\ndimension = 1\nrescale = true",
       "is for gaussian and bernoulli"},
      {"parameters = \"bernoulli\"\ndimension = 1\nclusters = 3", "not so many different"},
      {"parameters = \"bernoulli\"\ndimension = 1\nclusters = 2\nrescale = true", "not so many different"},
      {"active = 11", "must be at most the dimension, 10"},
      {"active = 2\ncovariance = \"given\"\ncovariances = [[1], [1]]", "needs covariance = \"identity\""},
      {"mean = \"given\"\nmeans = [[1]]", "must have 2 lists"},
      {"mean = \"given\"\nmeans = [[1], [1, 2]]", "1 number or 10"},
      {"means = [[1], [1]]", "needs mean = \"given\""},
      {"covariance = \"given\"", "must have 2 lists"},
      {"covariance = \"given\"\ncovariances = [[1], [1, 2, 3]]", "list 2 must have 1, 10 or 100 numbers"},
      {"covariance = \"given\"\ncovariances = [[1], [-1]]", "list 2 has a negative variance"},
      {"dimension = 2\ncovariance = \"given\"\ncovariances = [[1], [1, 0.5, 0, 1]]\nrepair = true",
       "list 2 is not symmetric"},
      {"covariances = [[1], [1]]", "needs covariance = \"given\""},
      {"repair = true", "needs covariance = \"given\""},
      {"radius = 0", "must be above 0"},
  };
  for (const auto& [toml, what] : cases) {
    EXPECT_NE(refusal(toml).find(what), std::string::npos) << toml << "\n" << refusal(toml);
  }
  EXPECT_EQ(refusal("shares = [0.25, 0.75]"), "");
  EXPECT_EQ(refusal("parameters = \"bernoulli\"\ndimension = 1\nclusters = 2"), "");
}

TEST(WithNormals, HandsOutTheStreamInOrderWhateverTheCount) {
  for (std::size_t each : {1u, 3u, 20u, 5000u}) {
    for (std::size_t count : {0u, 1u, 7u, 300u}) {
      Stream whole(3, {.purpose = Purpose::test}), pieces(3, {.purpose = Purpose::test});
      std::size_t calls = 0;
      bool same = true;
      with_normals(pieces, count, each, [&](std::size_t i, std::span<const double> z) {
        same = same && i == calls++ && z.size() == each;
        for (double value : z) same = same && value == whole.normal();
      });
      EXPECT_TRUE(same) << each << " x " << count;
      EXPECT_EQ(calls, count);
    }
  }
}

TEST(UniformOf, IsTheNormalDistribution) {
  EXPECT_DOUBLE_EQ(uniform_of(0), 0.5);
  EXPECT_NEAR(uniform_of(1.959963984540054), 0.975, 1e-12);
  EXPECT_NEAR(uniform_of(-1.2815515655446004), 0.1, 1e-12);
}

}  // namespace
}  // namespace coterie::mixture_test
