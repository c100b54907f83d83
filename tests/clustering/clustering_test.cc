#include "clustering/clustering.h"

#include <gtest/gtest.h>

#include <vector>

#include "clustering/agreement.h"
#include "coterie/error.h"

namespace coterie::clustering_test {
namespace {

// Three tight groups of five points in the plane.
struct Blobs {
  Vec values;
  std::vector<std::uint32_t> truth;

  Blobs() {
    const double centres[3][2] = {{0, 0}, {10, 0}, {0, 10}};
    Stream stream(4, {Purpose::test});
    for (std::uint32_t i = 0; i < 15; ++i) {
      truth.push_back(i % 3);
      for (std::size_t c = 0; c < 2; ++c) values.push_back(centres[i % 3][c] + 0.1 * stream.normal());
    }
  }
  Points points() const { return {values, truth.size(), 2}; }
};

Clustering found(const Blobs& blobs, const ClusteringOptions& options, std::size_t k = 3) {
  Stream stream(7, {Purpose::test});
  return cluster(blobs.points(), k, options, blobs.truth, stream);
}

TEST(Clustering, EveryKindFindsClearGroups) {
  const Blobs blobs;
  for (const char* kind : {"kmeans++", "kmeans", "spectral", "gradient", "convex"}) {
    ClusteringOptions options;
    options.kind = kind;
    const Clustering all = found(blobs, options);
    EXPECT_EQ(all.groups, 3u) << kind;
    EXPECT_EQ(adjusted_rand_index(contingency(all.labels, blobs.truth)), 1) << kind;
    EXPECT_EQ(all.gap.has_value(), options.kind == "convex") << kind;
    EXPECT_GT(all.separability.alpha, 10) << kind;
  }
}

TEST(Clustering, TheNumberOfGroupsMayBeFound) {
  const Blobs blobs;
  for (const char* rule : {"elbow", "silhouette"}) {
    ClusteringOptions options;
    options.count = rule;
    EXPECT_TRUE(options.finds_count());
    EXPECT_EQ(found(blobs, options, 7).groups, 3u) << rule;
  }
}

// The ends of the interval (13) are known for these labels: lambda must lie between them.
TEST(Clustering, LambdaComesFromTheTrueGroups) {
  const Blobs blobs;
  ClusteringOptions options;
  options.kind = "convex";
  options.lambda_rule = "interval";
  EXPECT_TRUE(options.needs_truth());
  const Clustering all = found(blobs, options);
  EXPECT_TRUE(lambda_interval(blobs.points(), blobs.truth).contains(all.lambda.value()));
  EXPECT_EQ(all.groups, 3u);
}

// Points 0, 1 and 3, 4: lambda is drawn between 1/2 and 3/4, whatever the stream.
TEST(Clustering, LambdaIsDrawnFromTheWholeInterval) {
  const Vec values = {0, 1, 3, 4};
  const std::vector<std::uint32_t> truth = {0, 0, 1, 1};
  const Points points{values, 4, 1};
  ClusteringOptions options;
  options.kind = "convex";
  options.lambda_rule = "interval";
  const LambdaInterval interval = lambda_interval(points, truth);
  ASSERT_FALSE(interval.empty());
  double least = interval.high, most = interval.low;
  for (std::uint32_t i = 0; i < 40; ++i) {
    Stream stream(7, {Purpose::test, 0, 0, i});
    const double lambda = cluster(points, 2, options, truth, stream).lambda.value();
    EXPECT_TRUE(interval.contains(lambda)) << lambda;
    least = std::min(least, lambda);
    most = std::max(most, lambda);
  }
  const double quarter = (interval.high - interval.low) / 4;
  EXPECT_LT(least, interval.low + quarter);
  EXPECT_GT(most, interval.high - quarter);
}

// The groups behind the chosen number are the answer: nothing is drawn for another run.
TEST(Clustering, GroupsOfTheChosenNumberAreNotSoughtAgain) {
  const Blobs blobs;
  for (const char* rule : {"elbow", "silhouette"}) {
    ClusteringOptions options;
    options.count = rule;
    Stream here(7, {Purpose::test}), there(7, {Purpose::test});
    cluster(blobs.points(), 7, options, {}, here);
    ChooseKOptions choose;
    choose.by = rule;
    choose_k(blobs.points(), choose, there);
    EXPECT_EQ(here.uniform(), there.uniform()) << rule;
  }
}

// (13) is about convex clustering: for k-means of many points its diameters are not worth their price.
TEST(Clustering, DiametersOfManyPointsAreBounded) {
  Vec line;
  for (std::size_t i = 0; i < 2001; ++i) line.push_back(static_cast<double>(i % 3) * 10);
  line[0] = 1;
  ClusteringOptions options;
  Stream stream(7, {Purpose::test});
  EXPECT_FALSE(
      cluster({std::span(line).first(2000), 2000, 1}, 3, options, {}, stream).separability.lambda.bound);
  const Clustering many = cluster({line, 2001, 1}, 3, options, {}, stream);
  EXPECT_TRUE(many.separability.lambda.bound);
  EXPECT_DOUBLE_EQ(many.separability.lambda.low, 2 * (1 - 1.0 / 667) / 667) << "1 among 666 zeros";
}

TEST(Clustering, TellsTheWalkOverLambda) {
  const Blobs blobs;
  ClusteringOptions options;
  options.kind = "convex";
  EXPECT_EQ(found(blobs, options).path.size(), 10u);
  options.lambda_rule = "interval";
  EXPECT_TRUE(found(blobs, options).path.empty());
}

TEST(Clustering, AGivenLambdaIsUsed) {
  const Blobs blobs;
  ClusteringOptions options;
  options.kind = "convex";
  options.lambda_rule = "given";
  options.lambda = 0;
  EXPECT_EQ(found(blobs, options).groups, 15u);
  options.lambda = 100;
  EXPECT_EQ(found(blobs, options).groups, 1u);
  options.weights = "knn";
  options.neighbours = 4;
  EXPECT_EQ(found(blobs, options).groups, 3u) << "no edge joins the three";
}

TEST(Clustering, FewPointsAreGroupsOfTheirOwn) {
  const Vec values = {1, 5};
  ClusteringOptions options;
  Stream stream(7, {Purpose::test});
  EXPECT_EQ(cluster({values, 2, 1}, 4, options, {}, stream).groups, 2u);
  const Vec equal = {1, 1, 5, 5, 1};
  const Clustering two = cluster({equal, 5, 1}, 3, options, {}, stream);
  EXPECT_EQ(two.groups, 2u) << "no group is empty";
  EXPECT_EQ(two.labels, (std::vector<std::uint32_t>{0, 0, 1, 1, 0}));
  EXPECT_EQ(cluster({{}, 0, 1}, 4, options, {}, stream).groups, 0u);
}

}  // namespace
}  // namespace coterie::clustering_test
