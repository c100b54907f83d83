#include "groups/stability.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/threads.h"
#include "support/planted_estimates.h"

namespace coterie::stability_test {
namespace {

std::vector<Vec> resamples(const Estimates& all, std::size_t count) {
  std::vector<Vec> result;
  for (std::uint32_t r = 0; r < count; ++r) {
    Stream stream(21, {.purpose = Purpose::test, .round = r});
    result.push_back(noisy_again(all, stream));
  }
  return result;
}

GroupMixture two_groups(const Estimates& all) {
  Stream stream(22, {.purpose = Purpose::test});
  return fit_mixture(all, 2, {}, stream);
}

TEST(Stability, PlantedGroupsComeBack) {
  const Estimates all = planted_estimates({.clients = 40, .groups = 2, .far = 0.5}, 1);
  const Stability found = stability_of(all, two_groups(all), {}, resamples(all, 10), {}, 1);
  EXPECT_EQ(found.resamples, 10u);
  EXPECT_EQ(found.jaccard, (Vec{1, 1}));
  EXPECT_EQ(found.stability, (Vec{1, 1}));
  EXPECT_EQ(found.least, 1);
  EXPECT_EQ(std::count(found.client_share.begin(), found.client_share.end(), 1.0), 40);
  EXPECT_LT(found.by_chance, 0.95);
}

TEST(Stability, GroupsForcedOnAContinuumDoNot) {
  std::size_t trusted = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Estimates all = planted_estimates({.clients = 40, .inside = 0.3}, seed);
    trusted += stability_of(all, two_groups(all), {}, resamples(all, 10), {}, seed).least >= 0.6;
  }
  EXPECT_LE(trusted, 1u);
}

TEST(Stability, JaccardAndClientSharesByHand) {
  // Six clients on a line, in two clear groups; in the one resample client 2 has gone over.
  Estimates all;
  all.width = 1;
  for (double b : {-10.0, -11.0, -9.0, 10.0, 11.0, 9.0}) all.of.push_back({{b}, {0.5}, {}, 50});
  const Stability found =
      stability_of(all, two_groups(all), {}, {{-10, -11, 10, 10, 11, 9}}, {.shake = 1, .cut_outs = 2}, 1);
  Vec jaccard = found.jaccard;
  std::sort(jaccard.begin(), jaccard.end());
  EXPECT_NEAR(jaccard[0], 2.0 / 3, 1e-12);  // {0, 1} of {0, 1, 2}
  EXPECT_NEAR(jaccard[1], 3.0 / 4, 1e-12);  // {3, 4, 5} of {2, 3, 4, 5}
  EXPECT_EQ(found.client_share, (Vec{1, 1, 0, 1, 1, 1}));
}

TEST(Stability, CountsByTheCriticalValuesOfTheTest) {
  const Estimates all = planted_estimates({.clients = 40, .groups = 2, .far = 0.5}, 1);
  GroupStep step{.groups = 1, .critical = 5, .rejected = true};
  EXPECT_EQ(stability_of(all, two_groups(all), {step}, resamples(all, 4), {.cut_outs = 1}, 1).same_count, 1);
  step.critical = 1e6;  // never reached: every resample has one group
  EXPECT_EQ(stability_of(all, two_groups(all), {step}, resamples(all, 4), {.cut_outs = 1}, 1).same_count, 0);
}

TEST(Stability, OneGroupIsAlwaysFoundAgain) {
  const Estimates all = planted_estimates({.clients = 10}, 1);
  Stream stream(23, {.purpose = Purpose::test});
  const Stability found = stability_of(all, fit_mixture(all, 1, {}, stream), {}, resamples(all, 3), {}, 1);
  EXPECT_EQ(found.stability, Vec{1});
}

TEST(Stability, SameBitsForAnyNumberOfThreads) {
  const Estimates all = planted_estimates({.clients = 20, .inside = 0.2}, 1);
  const GroupMixture groups = two_groups(all);
  const Stability alone = stability_of(all, groups, {}, resamples(all, 6), {}, 1);
  ThreadPool pool(3);
  const Stability shared = stability_of(
      all, groups, {}, resamples(all, 6), {}, 1,
      [&](std::size_t n, const auto& work) { pool.for_each(n, [&](std::size_t i, unsigned) { work(i); }); });
  EXPECT_EQ(shared.stability, alone.stability);
  EXPECT_EQ(shared.client_share, alone.client_share);
}

}  // namespace
}  // namespace coterie::stability_test
