#include "groups/mixture_test.h"

#include <gtest/gtest.h>

#include "base/threads.h"
#include "support/planted_estimates.h"

namespace coterie::mixture_test_test {
namespace {

TEST(GroupTest, SameBitsForAnyNumberOfThreads) {
  const Estimates all = planted_estimates({.clients = 24, .groups = 2, .far = 0.12}, 1);
  const GroupTestOptions options{.most = 3, .resamples = 39, .resamples_more = 39};
  const GroupCount alone = test_groups(all, options, 5);
  for (unsigned threads : {2u, 3u}) {
    ThreadPool pool(threads);
    const GroupCount shared = test_groups(all, options, 5, [&](std::size_t count, const auto& work) {
      pool.for_each(count, [&](std::size_t i, unsigned) { work(i); });
    });
    ASSERT_EQ(shared.steps.size(), alone.steps.size());
    for (std::size_t k = 0; k < alone.steps.size(); ++k) {
      EXPECT_EQ(shared.steps[k].p, alone.steps[k].p);
      EXPECT_EQ(shared.steps[k].statistic, alone.steps[k].statistic);
      EXPECT_EQ(shared.steps[k].critical, alone.steps[k].critical);
    }
    EXPECT_EQ(shared.mixture.membership, alone.mixture.membership);
    EXPECT_EQ(shared.mixture.mu, alone.mixture.mu);
  }
}

TEST(GroupTest, FindsTwoAndFourGroups) {
  const GroupTestOptions options{.resamples = 99};
  const GroupCount two =
      test_groups(planted_estimates({.clients = 40, .groups = 2, .far = 0.4}, 2), options, 1);
  EXPECT_EQ(two.groups, 2u);
  EXPECT_EQ(two.p, 0.01);
  EXPECT_FALSE(two.steps[0].stopped_early);
  EXPECT_EQ(two.mixture.groups, 2u);
  // A square: a third group gains nothing until the fourth is there.
  const GroupCount four =
      test_groups(planted_estimates({.clients = 40, .groups = 4, .far = 0.4}, 2), options, 1);
  EXPECT_EQ(four.groups, 4u);
  EXPECT_EQ(four.two.groups, 2u);
}

TEST(GroupTest, StopsEarlyWhereThereIsOneGroup) {
  std::size_t found = 0, stopped = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const GroupCount one = test_groups(planted_estimates({.clients = 30, .inside = 0.3}, seed), {}, seed);
    found += one.groups > 1;
    stopped += one.steps[0].stopped_early;
    if (one.steps[0].stopped_early) {
      EXPECT_LT(one.steps[0].resamples, 199u);
      EXPECT_GT(one.p, 0.05);
    }
  }
  EXPECT_LE(found, 3u);  // 4 or more of 12 at level .05: probability .002
  EXPECT_GE(stopped, 8u);
}

TEST(GroupTest, StepsEndAtTheMost) {
  const GroupCount found = test_groups(planted_estimates({.clients = 40, .groups = 4, .far = 0.4}, 2),
                                       {.most = 2, .resamples = 39}, 1);
  EXPECT_EQ(found.groups, 2u);
  EXPECT_EQ(found.steps.size(), 1u);
}

TEST(GroupTest, AFewClientsAreOneGroup) {
  const GroupCount found = test_groups(planted_estimates({.clients = 3, .groups = 2, .far = 5}, 1), {}, 1);
  EXPECT_EQ(found.groups, 1u);
  EXPECT_EQ(found.p, 1);
  EXPECT_TRUE(found.steps.empty());
}

}  // namespace
}  // namespace coterie::mixture_test_test
