#include "groups/moderation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "coterie/error.h"

namespace coterie::moderation_test {
namespace {

// One coefficient; client i has noise `deviation(i)` and its variance from `rows` - 1 degrees of freedom.
Estimates one_coefficient(double rows, const std::function<double(std::size_t)>& deviation) {
  Estimates all;
  all.width = 1;
  Stream stream(5, {.purpose = Purpose::test});
  for (std::size_t i = 0; i < 200; ++i) {
    const double s = std::pow(deviation(i), 2) * 2 * stream.gamma((rows - 1) / 2) / (rows - 1);
    all.of.push_back({{0}, {s / rows}, {rows}, rows});
  }
  return all;
}

TEST(Moderation, PoolsEqualNoise) {
  const Estimates all = one_coefficient(6, [](std::size_t) { return 2.0; });
  const ModeratedEstimates found = moderated(all);
  EXPECT_GT(found.prior_freedom, 30);
  for (const Estimate& e : found.estimates.of) EXPECT_NEAR(e.v[0] * 6, 4, 1.2);
}

TEST(Moderation, KeepsNoiseThatDiffers) {
  const Estimates all = one_coefficient(60, [](std::size_t i) { return i % 2 == 0 ? 1.0 : 5.0; });
  const ModeratedEstimates found = moderated(all);
  EXPECT_LT(found.prior_freedom, 3);
  for (std::size_t i = 0; i < 200; ++i) {
    EXPECT_NEAR(found.estimates.of[i].v[0] / all.of[i].v[0], 1, 0.15);
  }
}

TEST(Moderation, IsAMeanByDegreesOfFreedom) {
  const Estimates all = one_coefficient(20, [](std::size_t i) { return 1 + static_cast<double>(i % 3); });
  const Moderation prior = moderation_of(all);
  const ModeratedEstimates found = moderated(all);
  ASSERT_TRUE(std::isfinite(prior.prior_freedom));
  for (std::size_t i = 0; i < 5; ++i) {
    const double own = all.of[i].v[0] * 20;
    const double expected =
        (prior.prior_freedom * prior.prior_variance + 19 * own) / (prior.prior_freedom + 19);
    EXPECT_NEAR(found.estimates.of[i].v[0] * 20, expected, 1e-9);
  }
}

TEST(Moderation, KeepsWhatCurvatureSays) {
  // The same noise of a row, but inputs of client 0 vary a hundred times more: its covariance stays small.
  Estimates all;
  all.width = 2;
  for (std::size_t i = 0; i < 10; ++i) {
    const double h = i == 0 ? 1000 : 10;
    all.of.push_back({{0, 0}, {1 / h, 0, 0, 1 / h}, {h, 0, 0, h}, 12});
  }
  const Estimates found = moderated(all).estimates;
  // digamma(5) - log(5) is the bias of the logarithm of a chi-squared mean
  EXPECT_NEAR(found.of[0].v[0] * 100, found.of[1].v[0], 1e-12);
  EXPECT_NEAR(found.of[1].v[1], 0, 1e-12);
}

TEST(Moderation, WithoutCurvatureRowsStandForIt) {
  Estimates all;
  all.width = 1;
  for (std::size_t i = 0; i < 10; ++i) {
    const double rows = i % 2 == 0 ? 10 : 40;
    all.of.push_back({{0}, {3 / rows}, {}, rows});
  }
  const Estimates found = moderated(all).estimates;
  EXPECT_NEAR(found.of[0].v[0], 4 * found.of[1].v[0], 1e-9);
}

TEST(RedrawnCovariance, HasTheRightMeanAndSpread) {
  const Estimate truth{{0, 0}, {2, 1, 1, 3}, {}, 12};
  Stream stream(6, {.purpose = Purpose::test});
  double mean = 0, square = 0;
  for (int r = 0; r < 4000; ++r) {
    const Vec v = redrawn_covariance(truth, stream);
    EXPECT_NEAR(v[1] / v[0], 0.5, 1e-12);
    mean += v[0] / 4000;
    square += v[0] * v[0] / 4000;
  }
  EXPECT_NEAR(mean, 2, 0.06);
  EXPECT_NEAR(square - mean * mean, 4 * 2.0 / 10, 0.1);  // of a chi-squared over its 10 degrees of freedom
}

}  // namespace
}  // namespace coterie::moderation_test
