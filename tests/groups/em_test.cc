#include "groups/em.h"

#include <gtest/gtest.h>

#include <cmath>

#include "coterie/random.h"

namespace coterie::em_test {
namespace {

Cloud random_cloud(std::size_t width, std::uint32_t trial) {
  Stream stream(3, {.purpose = Purpose::test, .round = trial, .client = static_cast<std::uint32_t>(width)});
  Cloud cloud{.count = 25, .width = width, .b = {}, .v = {}};
  for (std::size_t i = 0; i < cloud.count; ++i) {
    const double noise = stream.uniform(0.05, 1);
    for (std::size_t c = 0; c < width; ++c) {
      cloud.b.push_back((i % 2 == 0 ? 1.0 : -1.0) * stream.uniform() + std::sqrt(noise) * stream.normal());
      for (std::size_t d = 0; d < width; ++d) cloud.v.push_back(c == d ? noise : 0.3 * noise);
    }
  }
  return cloud;
}

MixtureParameters random_start(std::size_t groups, std::size_t width, Stream& stream) {
  MixtureParameters at{Vec(groups, 1.0 / static_cast<double>(groups)), Vec(groups * width),
                       Vec(width * width, 0.0)};
  stream.normals(at.mu);
  for (std::size_t c = 0; c < width; ++c) at.t[c * width + c] = stream.uniform();
  return at;
}

TEST(Em, NeverLowersTheLikelihood) {
  for (std::size_t width : {1u, 2u, 3u, 4u, 6u}) {
    for (std::uint32_t trial = 0; trial < 6; ++trial) {
      Stream stream(4, {.purpose = Purpose::test, .round = trial});
      Vec trace;
      const std::size_t groups = 1 + trial % 4;
      const EmFit fit = climb(random_cloud(width, trial), random_start(groups, width, stream),
                              {.iterations = 60, .tolerance = 1e-9}, &trace);
      ASSERT_GT(trace.size(), 2u);
      for (std::size_t t = 1; t < trace.size(); ++t)
        EXPECT_GE(trace[t], trace[t - 1]) << width << " " << trial;
      EXPECT_EQ(fit.log_likelihood, trace.back());
    }
  }
}

TEST(Em, OneGroupWithoutSpreadIsTheGlsMean) {
  const Cloud cloud{.count = 2, .width = 1, .b = {0, 4}, .v = {1, 3}};
  const EmFit fit = climb(cloud, {{1}, {7}, {2}}, {.spread_inside = false});
  EXPECT_NEAR(fit.at.mu[0], 1, 1e-12);
  EXPECT_EQ(fit.at.t[0], 0);
  // log N(0; 1, 1) + log N(4; 1, 3)
  const double by_hand = -std::log(2 * M_PI) - 0.5 * std::log(3.0) - 0.5 - 1.5;
  EXPECT_NEAR(fit.log_likelihood, by_hand, 1e-12);
}

TEST(Em, OneGroupWithEqualNoiseHasTheKnownSpread) {
  // Equal noise v: the maximum is T = mean square deviation - v = 5 - 1, and 0 where that is negative.
  const EmFit wide = climb({4, 1, {-3, 3, -1, 1}, {1, 1, 1, 1}}, {{1}, {0.5}, {1}}, {.tolerance = 1e-12});
  EXPECT_NEAR(wide.at.mu[0], 0, 1e-9);
  EXPECT_NEAR(wide.at.t[0], 4, 1e-4);
  const EmFit none = climb({4, 1, {-3, 3, -1, 1}, {9, 9, 9, 9}}, {{1}, {0.5}, {1}}, {.tolerance = 1e-12});
  EXPECT_EQ(none.at.t[0], 0);
}

TEST(Em, SpreadLeavesZeroWhenItIsThere) {
  const EmFit wide = climb({4, 1, {-3, 3, -1, 1}, {1, 1, 1, 1}}, {{1}, {0.0}, {0}}, {.tolerance = 1e-12});
  EXPECT_NEAR(wide.at.t[0], 4, 1e-4);
}

TEST(Em, TwoGroupsByHand) {
  // Far apart: memberships are 0 or 1, so means, shares and likelihood are those of each group.
  const EmFit fit =
      climb({3, 1, {-10, -12, 10}, {1, 1, 1}}, {{0.5, 0.5}, {-9, 9}, {0}}, {.spread_inside = false});
  EXPECT_NEAR(fit.at.mu[0], -11, 1e-9);
  EXPECT_NEAR(fit.at.mu[1], 10, 1e-9);
  EXPECT_NEAR(fit.at.share[0], 2.0 / 3, 1e-9);
  const double by_hand = 2 * std::log(2.0 / 3) + std::log(1.0 / 3) - 1.5 * std::log(2 * M_PI) - 2 * 0.5;
  EXPECT_NEAR(fit.log_likelihood, by_hand, 1e-9);
}

TEST(FitMembers, KeepsMemberships) {
  const Vec given = {1, 0, 0, 1, 0.5, 0.5};
  const EmFit fit = fit_members({3, 1, {0, 6, 3}, {1, 1, 1}}, given, 2, {.spread_inside = false});
  EXPECT_EQ(fit.membership, given);
  EXPECT_NEAR(fit.at.mu[0], 1, 1e-12);  // (0 + 3/2) / (3/2)
  EXPECT_NEAR(fit.at.mu[1], 5, 1e-12);  // (6 + 3/2) / (3/2)
}

}  // namespace
}  // namespace coterie::em_test
