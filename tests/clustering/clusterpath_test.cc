#include "clustering/clusterpath.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "coterie/error.h"
#include "coterie/random.h"

namespace coterie::clusterpath_test {
namespace {

using Labels = std::vector<std::uint32_t>;

// Three pairs on a line. Pairs become one at lambda = .05; the outer ones reach the middle, 4 lambda later,
// at 2.5. So the walk ends at .1 * 1.25^15 and .1 / 1.25^4, and ten values have 6, 3 (seven times), 1 and 1
// groups. (13) for the pairs is [.05, 1.25), for all in one from 3.35, for all alone below .01.
TEST(Clusterpath, WalksAsWorkedOutByHand) {
  const Vec line = {0, 10, 20, 0.1, 10.1, 20.1};
  const Clusterpath found = clusterpath({line, 6, 1});
  const double low = 0.1 / std::pow(1.25, 4), high = 0.1 * std::pow(1.25, 15);
  ASSERT_EQ(found.path.size(), 10u);
  const std::size_t groups[10] = {6, 3, 3, 3, 3, 3, 3, 3, 1, 1};
  for (std::size_t n = 0; n < 10; ++n) {
    EXPECT_NEAR(found.path[n].lambda, low + (high - low) * static_cast<double>(n) / 9, 1e-12);
    EXPECT_EQ(found.path[n].groups, groups[n]) << n;
    EXPECT_EQ(found.path[n].recovers, n >= 1 && n <= 3) << n;
    EXPECT_LT(found.path[n].gap, 1e-6);
  }
  EXPECT_EQ(found.lambda, found.path[1].lambda);
  EXPECT_TRUE(found.recovers);
  EXPECT_EQ(found.chosen.labels, (Labels{0, 1, 2, 0, 1, 2}));
}

// 0, 1, 2 become one at .5. (13) holds below .25 and from 2/3 on. Starting at .3 it holds nowhere between .3
// and .3 * 1.25^3; seven of ten values have three groups.
TEST(Clusterpath, TakesTheMostFrequentWhereNothingIsCertain) {
  const Vec line = {0, 1, 2};
  ClusterpathOptions options;
  options.start = 0.3;
  const Clusterpath found = clusterpath({line, 3, 1}, options);
  EXPECT_NEAR(found.path.back().lambda, 0.3 * std::pow(1.25, 3), 1e-12);
  EXPECT_FALSE(found.recovers);
  EXPECT_EQ(
      std::count_if(found.path.begin(), found.path.end(), [](const PathStep& s) { return s.groups == 3; }),
      7);
  EXPECT_EQ(found.lambda, 0.3);
  EXPECT_EQ(found.chosen.groups, 3u);
}

// Three pairs, each 2.6 wide and 10 from the next: pairs become one at 1.3, all of them at 2.5. (13) is [1.3,
// 1.25) for the pairs, so empty, and holds for points alone below .26: of ten values from .1 to .1 * 1.25^15,
// for the first. The pairs occur at four.
const Vec kWidePairs = {0, 10, 20, 2.6, 12.6, 22.6};

TEST(Clusterpath, PointsAloneAreNotRecovered) {
  const Clusterpath found = clusterpath({kWidePairs, 6, 1});
  const std::size_t groups[10] = {6, 6, 6, 6, 3, 3, 3, 3, 1, 1};
  ASSERT_EQ(found.path.size(), 10u);
  for (std::size_t n = 0; n < 10; ++n) {
    EXPECT_EQ(found.path[n].groups, groups[n]) << n;
    EXPECT_FALSE(found.path[n].recovers) << n;
  }
  EXPECT_FALSE(found.recovers);
  EXPECT_EQ(found.lambda, found.path[4].lambda);
  EXPECT_EQ(found.chosen.labels, (Labels{0, 1, 2, 0, 1, 2}));
}

// Two pairs become one group at 2.5, for which (13) holds from 10.1 / 4 on: the last value is beyond.
TEST(Clusterpath, OneGroupIsNotRecovered) {
  const Vec line = {0, 0.1, 10, 10.1};
  const Clusterpath found = clusterpath({line, 4, 1});
  EXPECT_EQ(found.path.back().groups, 1u);
  EXPECT_GT(found.path.back().lambda, 10.1 / 4);
  EXPECT_FALSE(found.path.back().recovers);
  EXPECT_TRUE(found.recovers);
  EXPECT_EQ(found.chosen.groups, 2u);
}

// By the rule as printed the first value, where all points are alone, meets (13), and no pair does.
TEST(Clusterpath, LiterallyPointsAloneAndOneGroupCount) {
  ClusterpathOptions options;
  options.literal = true;
  const Clusterpath alone = clusterpath({kWidePairs, 6, 1}, options);
  EXPECT_TRUE(alone.path[0].recovers);
  EXPECT_TRUE(alone.recovers);
  EXPECT_EQ(alone.lambda, alone.path[0].lambda);
  EXPECT_EQ(alone.chosen.groups, 6u);
  // Two pairs: two groups meet (13) too, and occur more often than one does.
  const Vec line = {0, 0.1, 10, 10.1};
  const Clusterpath pairs = clusterpath({line, 4, 1}, options);
  EXPECT_TRUE(pairs.path.back().recovers) << "one group, from 10.1 / 4 on";
  EXPECT_EQ(pairs.chosen.groups, 2u);
  // 0, 1, 2 from .3: (13) holds nowhere, and seven of ten values have three groups, in either rule; but with
  // two values, .3 and .3 * 1.25^3, the literal rule takes the first, three groups alone.
  const Vec three = {0, 1, 2};
  options.start = 0.3;
  EXPECT_EQ(clusterpath({three, 3, 1}, options).chosen.groups, 3u);
}

// At three values there are 6, 3 and 1 groups: a number that occurs once does not stand out.
TEST(Clusterpath, ANumberThatOccursOnceIsNoEvidence) {
  ClusterpathOptions options;
  options.steps = 3;
  const Clusterpath found = clusterpath({kWidePairs, 6, 1}, options);
  EXPECT_EQ(found.path[1].groups, 3u);
  EXPECT_EQ(found.chosen.groups, 6u);
  EXPECT_FALSE(found.recovers);
}

TEST(Clusterpath, WidePointsAreRotatedOnce) {
  Vec values(6 * 50, 0.0);
  for (std::size_t i = 0; i < 6; ++i) values[i * 50 + 3] = kWidePairs[i];
  const Clusterpath found = clusterpath({values, 6, 50});
  EXPECT_EQ(found.chosen.labels, (Labels{0, 1, 2, 0, 1, 2}));
  ASSERT_EQ(found.chosen.centroids.size(), values.size());
  EXPECT_NEAR(found.chosen.centroids[50 + 3], 11.3, 1e-5);
  EXPECT_NEAR(found.chosen.centroids[50 + 4], 0, 1e-12);
}

TEST(Clusterpath, EqualPointsNeedNotBeParted) {
  const Vec line = {0, 1, 0, 1, 0, 1};
  const Clusterpath found = clusterpath({line, 6, 1});
  EXPECT_EQ(found.path.front().groups, 2u);
  EXPECT_EQ(found.chosen.labels, (Labels{0, 1, 0, 1, 0, 1}));
  const Vec same = {2, 2, 2};
  EXPECT_EQ(clusterpath({same, 3, 1}).chosen.groups, 1u);
  EXPECT_EQ(clusterpath({same, 1, 3}).chosen.groups, 1u);
}

TEST(Clusterpath, FindsGroupsInManyDimensions) {
  const std::size_t count = 40, width = 20;
  Stream stream(3, {Purpose::test, 0, 0, 0});
  Vec values(count * width);
  stream.normals(values);
  for (double& value : values) value *= 0.05;
  for (std::size_t i = 0; i < count; ++i) values[i * width + i % 4] += 5;
  const Clusterpath found = clusterpath({values, count, width});
  EXPECT_TRUE(found.recovers);
  EXPECT_EQ(found.chosen.groups, 4u);
  for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(found.chosen.labels[i], i % 4);
}

TEST(Clusterpath, RefusesWhatIsNotFinite) {
  const Vec line = {1, HUGE_VAL};
  EXPECT_THROW(clusterpath({line, 2, 1}), Error);
}

// Groups a thousandth apart: the default start of 0.1 is far beyond what joins them all.
TEST(Clusterpath, TheStartMayLieBeyondTheRange) {
  Vec values;
  for (const double x : {0.0, 1e-5, 2e-5, 1e-3, 1.01e-3, 1.02e-3}) values.push_back(x);
  EXPECT_EQ(clusterpath({values, 6, 1}).chosen.groups, 2u);
}

}  // namespace
}  // namespace coterie::clusterpath_test
