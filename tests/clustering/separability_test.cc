#include "clustering/separability.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "clustering/convex.h"

namespace coterie::separability_test {
namespace {

using Labels = std::vector<std::uint32_t>;

// {0, 1} and {10, 12}: means .5 and 11, diameters 1 and 2.
TEST(Separability, OfTwoPairs) {
  const Vec line = {0, 10, 1, 12};
  const Separability found = separability({line, 4, 1}, Labels{0, 1, 0, 1});
  EXPECT_DOUBLE_EQ(found.radius, 1);
  EXPECT_DOUBLE_EQ(found.distance, 10.5);
  EXPECT_DOUBLE_EQ(found.alpha, 10.5);
  EXPECT_TRUE(found.separable());
  EXPECT_DOUBLE_EQ(found.lambda.low, 1);
  EXPECT_DOUBLE_EQ(found.lambda.high, 10.5 / 4);
  EXPECT_FALSE(found.lambda.empty());
  EXPECT_DOUBLE_EQ(found.needed_by_convex, 4);
  EXPECT_DOUBLE_EQ(found.needed_by_kmeans, 2 + 200 * std::sqrt(2.0));
}

// On a line the interval is exact: convex clustering gives these groups inside it and others outside.
TEST(Separability, TheIntervalIsWhereConvexClusteringGivesTheGroups) {
  const Vec line = {0, 10, 1, 12};
  const Points points{line, 4, 1};
  const Labels labels = {0, 1, 0, 1};
  const LambdaInterval interval = lambda_interval(points, labels);
  for (double lambda : {0.99, 1.01, 2.0, 2.62, 2.63}) {
    EXPECT_EQ(convex_clustering(points, all_pairs(4), lambda).labels == labels, interval.contains(lambda))
        << lambda;
  }
}

// Sizes 3 and 1: the diameter 4 over 3; the distance 10 - 2 over 8 - 4.
TEST(Separability, WeighsGroupsByTheirSizes) {
  const Vec line = {0, 2, 4, 10};
  const Separability found = separability({line, 4, 1}, Labels{0, 0, 0, 1});
  EXPECT_DOUBLE_EQ(found.lambda.low, 4.0 / 3);
  EXPECT_DOUBLE_EQ(found.lambda.high, 2);
  EXPECT_DOUBLE_EQ(found.alpha, 4);
  EXPECT_DOUBLE_EQ(found.needed_by_convex, 12);
}

TEST(Separability, MixedGroupsAreNotSeparable) {
  const Vec line = {0, 10, 1, 12};
  const Separability found = separability({line, 4, 1}, Labels{0, 0, 1, 1});
  EXPECT_FALSE(found.separable());
  EXPECT_TRUE(found.lambda.empty());
}

TEST(Separability, OfOneGroupAndOfPointsAlone) {
  const Vec line = {0, 3, 6};
  const Separability one = separability({line, 3, 1}, Labels{0, 0, 0});
  EXPECT_TRUE(std::isinf(one.alpha));
  EXPECT_FALSE(one.separable()) << "nothing is apart";
  EXPECT_DOUBLE_EQ(one.lambda.low, 2);
  EXPECT_TRUE(std::isinf(one.lambda.high));
  const Separability alone = separability({line, 3, 1}, Labels{0, 1, 2});
  EXPECT_TRUE(std::isinf(alone.alpha));
  EXPECT_FALSE(alone.separable()) << "true of any points";
  EXPECT_EQ(alone.lambda.low, 0);
  EXPECT_DOUBLE_EQ(alone.lambda.high, 3.0 / 4);
}

// {0, 1, 5} is 5 wide and at most 3 from its mean.
TEST(Separability, DiametersMayBeBounded) {
  const Vec line = {0, 1, 5, 100, 100};
  const Labels labels = {0, 0, 0, 1, 1};
  const Separability exact = separability({line, 5, 1}, labels);
  EXPECT_DOUBLE_EQ(exact.lambda.low, 5.0 / 3);
  EXPECT_FALSE(exact.lambda.bound);
  const Separability bound = separability({line, 5, 1}, labels, Diameters::bound);
  EXPECT_DOUBLE_EQ(bound.lambda.low, 6.0 / 3);
  EXPECT_TRUE(bound.lambda.bound);
  EXPECT_EQ(bound.lambda.high, exact.lambda.high);
  EXPECT_EQ(bound.alpha, exact.alpha);
}

TEST(Separability, EqualPointsInTwoGroupsAreSeparable) {
  const Vec line = {0, 0, 3, 3};
  EXPECT_TRUE(separability({line, 4, 1}, Labels{0, 0, 1, 1}).separable());
}

TEST(Separability, LabelsWithoutPointsDoNotCount) {
  const Vec line = {0, 10, 1, 12};
  const Separability found = separability({line, 4, 1}, Labels{1, 3, 1, 3});
  EXPECT_DOUBLE_EQ(found.distance, 10.5);
  EXPECT_DOUBLE_EQ(found.needed_by_convex, 4);
}

}  // namespace
}  // namespace coterie::separability_test
