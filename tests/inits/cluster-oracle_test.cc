#include <gtest/gtest.h>

#include <cmath>

#include "support/tiny_federation.h"

namespace coterie::cluster_oracle_test {
namespace {

// True clusters 0 and 1 with the means (1 + 3 + 5) / 3 and -2.
const std::vector<TinyFederation::Client> kThree = {
    {{{1}}, {1}, 0}, {{{1}}, {-2}, 1}, {{{1}, {1}}, {3, 5}, 0}};

std::vector<Vec> made(const std::string& toml, std::size_t clusters = 2) {
  TinyRun run(kThree, {.algorithm = "ifca", .clusters = clusters});
  return make_plugin<Init>("cluster-oracle", toml)
      ->make({*run.fleet, *run.setting, *run.algorithm, nullptr, &run.federation.truth(), {0, 1, 0}})
      .models;
}

TEST(ClusterOracleInit, BeginsAtTheMinimumOfEachTrueCluster) {
  const std::vector<Vec> models = made("noise = 0");
  ASSERT_EQ(models.size(), 2u);
  EXPECT_NEAR(models[0][0], 3, 1e-7);
  EXPECT_NEAR(models[1][0], -2, 1e-7);
}

TEST(ClusterOracleInit, NoiseScalesWithItsDeviation) {
  const std::vector<Vec> none = made("noise = 0"), one = made("noise = 1"), two = made("noise = 2");
  for (std::size_t k = 0; k < 2; ++k) {
    const double moved = one[k][0] - none[k][0];
    EXPECT_GT(std::abs(moved), 1e-6);
    EXPECT_NEAR(two[k][0] - none[k][0], 2 * moved, 1e-12);
  }
  EXPECT_NE(one[0][0] - none[0][0], one[1][0] - none[1][0]);
}

TEST(ClusterOracleInit, SaysWhenItStopsEarly) {
  TinyRun run(kThree, {.algorithm = "ifca", .clusters = 2});
  const auto init = make_plugin<Init>("cluster-oracle", "iterations = 1\ntolerance = 1e-15");
  init->make({*run.fleet, *run.setting, *run.algorithm, nullptr, &run.federation.truth(), {0, 1, 0}});
  const std::vector<Event> events = run.fleet->take_events();
  ASSERT_EQ(events.size(), 2u);
  for (const Event& event : events) EXPECT_EQ(event.kind, "inexact");
}

TEST(ClusterOracleInit, RefusesAnotherNumberOfClusters) { EXPECT_THROW(made("", 3), Error); }

}  // namespace
}  // namespace coterie::cluster_oracle_test
