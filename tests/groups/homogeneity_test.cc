#include "groups/homogeneity.h"

#include <gtest/gtest.h>

#include "support/planted_estimates.h"

namespace coterie::homogeneity_test {
namespace {

// Weights 1 and 1/3: mean (0 + 4/3) / (4/3) = 1, Q = 1 + 9/3 = 4.
Estimates two_clients() { return {{{{0}, {1}, {}, 50}, {{4}, {3}, {}, 50}}, 1}; }

TEST(Homogeneity, TwoClientsByHand) {
  const Homogeneity found = test_homogeneity(two_clients());
  EXPECT_NEAR(found.mean[0], 1, 1e-12);
  EXPECT_NEAR(found.statistic, 4, 1e-12);
  EXPECT_EQ(found.freedom, 1);
  EXPECT_NEAR(found.p_chi2, 0.04550026, 1e-7);  // two-sided, two deviations
  EXPECT_EQ(found.p, found.p_drawn);
  EXPECT_NEAR(found.beyond_noise, 1 - 1.0 / 4, 1e-12);
}

TEST(Homogeneity, CorrelatedCoefficientsByHand) {
  // V = [2 1; 1 2] for both, V^-1 = [2 -1; -1 2] / 3, deviations +-(1, 0): Q = 2 * 2/3.
  const Estimates two = {{{{2, 5}, {2, 1, 1, 2}, {}, 50}, {{0, 5}, {2, 1, 1, 2}, {}, 50}}, 2};
  const Homogeneity found = test_homogeneity(two);
  EXPECT_NEAR(found.mean[0], 1, 1e-12);
  EXPECT_NEAR(found.mean[1], 5, 1e-12);
  EXPECT_NEAR(found.statistic, 4.0 / 3, 1e-12);
  EXPECT_EQ(found.freedom, 2);
  EXPECT_NEAR(found.p_chi2, std::exp(-2.0 / 3), 1e-12);  // of two degrees of freedom
}

TEST(Homogeneity, ReplicatesAreComparedWithQ) {
  // Q* = d'Vd - (sum)^2 / (4/3):  9 - 3 = 6 reaches Q = 4, 4 - 3 = 1 does not, 5.5 - 0 does, 3 does not.
  const Replicates replicates{4, {2, 9, 2, 4, 0, 5.5, 0, 3}};
  const Homogeneity found = test_homogeneity(two_clients(), replicates);
  EXPECT_NEAR(found.p_wild, 3.0 / 5, 1e-12);
  EXPECT_EQ(found.replicates, 4u);
  EXPECT_EQ(found.p, found.p_wild);
}

TEST(Homogeneity, ReplicatesNeedRows) {
  Estimates two = two_clients();
  for (Estimate& e : two.of) e.rows = 2;
  const Homogeneity found = test_homogeneity(two, {4, {2, 9, 2, 4, 0, 5.5, 0, 3}});
  EXPECT_NEAR(found.p_wild, 3.0 / 5, 1e-12);
  EXPECT_EQ(found.p, found.p_drawn);
}

TEST(Homogeneity, OneClientHasNothingToDifferFrom) {
  const Homogeneity found = test_homogeneity({{{{3}, {1}, {}, 50}}, 1});
  EXPECT_EQ(found.p, 1);
  EXPECT_EQ(found.mean, Vec{3});
}

TEST(Homogeneity, AlikeClientsAreNotRejectedAndOthersAre) {
  std::size_t alike = 0, apart = 0;
  double share = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    alike += test_homogeneity(planted_estimates({.clients = 20, .rows = 12}, seed), {}, seed).p <= 0.05;
    const Homogeneity found =
        test_homogeneity(planted_estimates({.clients = 20, .inside = 0.2, .rows = 12}, seed), {}, seed);
    apart += found.p <= 0.05;
    share += found.spread_share / 20;
  }
  EXPECT_LE(alike, 4u);  // 5 or more of 20 at level .05: probability .003
  EXPECT_EQ(apart, 20u);
  EXPECT_NEAR(share, 0.8, 0.06);  // .2^2 / (.2^2 + .1^2)
}

TEST(Chi2Tail, KnownQuantiles) {
  EXPECT_NEAR(chi2_tail(3.841459, 1), 0.05, 1e-6);
  EXPECT_NEAR(chi2_tail(18.307038, 10), 0.05, 1e-6);
  EXPECT_NEAR(chi2_tail(124.342113, 100), 0.05, 1e-6);
  EXPECT_EQ(chi2_tail(0, 3), 1);
}

}  // namespace
}  // namespace coterie::homogeneity_test
