#include "groups/mixture.h"

#include <gtest/gtest.h>

#include <cmath>

#include "coterie/error.h"
#include "support/planted_estimates.h"

namespace coterie::mixture_test {
namespace {

Stream some_stream() { return Stream(1, {.purpose = Purpose::test}); }

TEST(Mixture, OneGroupWithoutSpreadIsTheGlsMean) {
  const Estimates two = {{{{0, 2}, {1, 0, 0, 1}, {}, 50}, {{4, 6}, {3, 0, 0, 3}, {}, 50}}, 2};
  Stream stream = some_stream();
  const GroupMixture found = fit_mixture(two, 1, {.moderate = false, .spread_inside = false}, stream);
  EXPECT_NEAR(found.mu[0], 1, 1e-12);
  EXPECT_NEAR(found.mu[1], 3, 1e-12);
  EXPECT_EQ(found.inside, Vec(4, 0.0));
  EXPECT_EQ(found.membership, (Vec{1, 1}));
  EXPECT_TRUE(std::isinf(found.apart));
}

TEST(Mixture, FindsPlantedGroupsWithTheirMeansAndSpread) {
  const PlantedEstimates plan{.clients = 120, .groups = 2, .far = 1, .inside = 0.2};
  Stream stream = some_stream();
  const GroupMixture found = fit_mixture(planted_estimates(plan, 2), 2, {}, stream);
  std::size_t as_first = 0;
  for (std::size_t i = 0; i < 120; ++i) as_first += (found.labels[i] == found.labels[0]) == (i % 2 == 0);
  EXPECT_EQ(as_first, 120u);
  // Group 1 has its bit 0 set: coordinates 0 and 2 are at -1, coordinate 1 is at +1 in both.
  const std::size_t first = found.labels[0];
  EXPECT_NEAR(found.mu[first * 3 + 0], 1, 0.1);
  EXPECT_NEAR(found.mu[(1 - first) * 3 + 0], -1, 0.1);
  EXPECT_NEAR(found.mu[(1 - first) * 3 + 1], 1, 0.1);
  for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(found.inside[c * 3 + c], 0.04, 0.025);
  EXPECT_EQ(found.labels[0], 0u) << "groups of equal size are numbered by their first clients";
  EXPECT_NEAR(found.share[0] + found.share[1], 1, 1e-12);
  EXPECT_GT(found.apart, 8);
}

TEST(Mixture, EqualGroupsHaveEqualNumbersWhateverTheStart) {
  PlantedEstimates plan{.clients = 20, .groups = 2, .far = 0.3};
  const Estimates equal = planted_estimates(plan, 5);
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Stream stream(seed, {.purpose = Purpose::test});
    const GroupMixture found = fit_mixture(equal, 2, {.starts = 1}, stream);
    EXPECT_EQ(found.labels[0], 0u) << seed;
    EXPECT_EQ(found.labels[1], 1u) << seed;
  }
  // With one client less of its kind, the group of client 0 is the smaller one.
  Estimates uneven = equal;
  uneven.of.erase(uneven.of.begin() + 2);
  Stream stream = some_stream();
  EXPECT_EQ(fit_mixture(uneven, 2, {}, stream).labels[0], 1u);
}

TEST(Mixture, BicIsSmallestForTheTrueNumber) {
  const Estimates all = planted_estimates({.clients = 60, .groups = 2, .far = 0.5}, 3);
  Stream stream = some_stream();
  const double one = fit_mixture(all, 1, {}, stream).bic, two = fit_mixture(all, 2, {}, stream).bic,
               three = fit_mixture(all, 3, {}, stream).bic;
  EXPECT_LT(two, one);
  EXPECT_LT(two, three);
}

TEST(Mixture, BicCountsParametersByHand) {
  // One client more or less: K - 1 shares, K p means, p (p + 1) / 2 numbers of T, here p = 1.
  const Estimates all = planted_estimates({.clients = 30, .width = 1}, 4);
  Stream stream = some_stream();
  const GroupMixture found = fit_mixture(all, 2, {}, stream);
  EXPECT_NEAR(found.bic, -2 * found.log_likelihood + (1 + 2 + 1) * std::log(30.0), 1e-9);
}

TEST(Mixture, UnusableEstimatesAreRefused) {
  Stream stream = some_stream();
  EXPECT_THROW(fit_mixture({{{{0}, {-1}, {}, 5}}, 1}, 1, {}, stream), Error);
}

}  // namespace
}  // namespace coterie::mixture_test
