// Equations (4) and (5) of the HCFL paper, by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "algorithms/tiers/e_step.h"
#include "coterie/data.h"

namespace coterie::tiers_e_step_test {
namespace {

using Vec = std::vector<double>;

// Two samples, two clusters; L = (0.8, 0.2) and (0.1, 0.4).
const Vec kLogs = {std::log(0.8), std::log(0.2), std::log(0.1), std::log(0.4)};

TEST(EStep, WeighsLikelihoodsByTheClientsWeights) {
  const Vec client = {0.25, 0.75};
  const EStep step = e_step(kLogs, client, {}, 0);
  // Row 0: 0.2 and 0.15; row 1: 0.025 and 0.3.
  EXPECT_NEAR(step.gamma[0], 0.2 / 0.35, 1e-15);
  EXPECT_NEAR(step.gamma[1], 0.15 / 0.35, 1e-15);
  EXPECT_NEAR(step.gamma[2], 0.025 / 0.325, 1e-15);
  EXPECT_NEAR(step.client[0], (0.2 / 0.35 + 0.025 / 0.325) / 2, 1e-15);
  EXPECT_NEAR(step.client[0] + step.client[1], 1, 1e-15);
  EXPECT_TRUE(step.rows.empty());
  EXPECT_NEAR(step.log_likelihood, (std::log(0.35) + std::log(0.325)) / 2, 1e-15);
}

TEST(EStep, SamplesHaveWeightsOfTheirOwnBetweenGammaAndTheClients) {
  const Vec client = {0.25, 0.75}, rows = {0.5, 0.5, 0.9, 0.1};
  const EStep step = e_step(kLogs, client, rows, 0.4);
  // gamma from the samples' weights: (0.4, 0.1) and (0.09, 0.04); w~ from the client's.
  EXPECT_NEAR(step.gamma[0], 0.8, 1e-15);
  EXPECT_NEAR(step.gamma[2], 0.09 / 0.13, 1e-15);
  const double tilde = (0.2 / 0.35 + 0.025 / 0.325) / 2;
  EXPECT_NEAR(step.client[0], tilde, 1e-15);
  EXPECT_NEAR(step.rows[0], 0.4 * 0.8 + 0.6 * tilde, 1e-15);
  EXPECT_NEAR(step.rows[3], 0.4 * 0.04 / 0.13 + 0.6 * (1 - tilde), 1e-15);
  EXPECT_NEAR(step.log_likelihood, (std::log(0.5) + std::log(0.13)) / 2, 1e-15);
}

TEST(EStep, StaysExactWhereLikelihoodsUnderflow) {
  const Vec logs = {-5000, -5001}, client = {0.5, 0.5};
  const EStep step = e_step(logs, client, {}, 0);
  EXPECT_NEAR(step.gamma[0], 1 / (1 + std::exp(-1)), 1e-15);
  EXPECT_NEAR(step.log_likelihood, -5000 + std::log(0.5 * (1 + std::exp(-1))), 1e-11);
}

TEST(EStep, ZeroWeightsStayZeroAndNothingComesOfNoRows) {
  const Vec one = {1, 0};
  EXPECT_EQ(e_step(kLogs, one, {}, 0).client, one);
  const Vec half = {0.3, 0.7};
  EXPECT_EQ(e_step({}, half, {}, 0.4).client, half);
}

// What the second cluster makes of the row is no concern of a client that gives it no weight.
TEST(EStep, AClusterWithoutWeightSetsNoScale) {
  const Vec logs = {-5000, 0}, client = {1, 0};
  const EStep step = e_step(logs, client, {}, 0);
  EXPECT_EQ(step.gamma, client);
  EXPECT_EQ(step.log_likelihood, -5000);
}

TEST(EStep, WhatIsNotFiniteIsNotHidden) {
  const Vec logs = {std::nan(""), -1}, client = {0.5, 0.5};
  EXPECT_TRUE(std::isnan(e_step(logs, client, {}, 0).client[1]));
}

TEST(EStep, SettlingNeverLowersTheLikelihoodAndEndsWhereWeightsStayStill) {
  const Vec logs = {-0.1, -2, -0.3, -1, -3, -0.2};
  Vec weights = {0.5, 0.5};
  double before = e_step(logs, weights, {}, 0).log_likelihood;
  for (int s = 0; s < 20; ++s) {
    weights = settle_weights(logs, weights, 1);
    const double now = e_step(logs, weights, {}, 0).log_likelihood;
    EXPECT_GE(now, before - 1e-15);
    before = now;
  }
  const Vec still = settle_weights(logs, {0.5, 0.5}, 100000, 1e-12);
  EXPECT_NEAR(e_step(logs, still, {}, 0).client[0], still[0], 1e-9);
}

}  // namespace
}  // namespace coterie::tiers_e_step_test
