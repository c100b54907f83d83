#include "clustering/gradient_clustering.h"

#include <gtest/gtest.h>

#include <cmath>

#include "coterie/error.h"

namespace coterie::gradient_clustering_test {
namespace {

using Labels = std::vector<std::uint32_t>;

Points on_a_line(const Vec& values) { return {values, values.size(), 1}; }

Stream stream(std::uint32_t number) { return Stream(9, {Purpose::test, number, 0, 0}); }

// 0, 1, 5, 6 from centres 0 and 1. First {0} and {1, 5, 6}: the second centre goes up by (0 + 4 + 5) / 4.
// Then 1 is nearer to 0 than to 3.25: the centres go up by 1/4 and by (1.75 + 2.75) / 4.
TEST(GradientClustering, FollowsTheGradientStepByStep) {
  const Vec line = {0, 1, 5, 6};
  GradientClusteringOptions options;
  options.iterations = 1;
  EXPECT_EQ(gradient_descent(on_a_line(line), {0, 1}, options).centres, (Vec{0, 3.25}));
  options.iterations = 2;
  EXPECT_EQ(gradient_descent(on_a_line(line), {0, 1}, options).centres, (Vec{0.25, 4.375}));
  options.iterations = 1;
  options.step = 0.5;
  EXPECT_EQ(gradient_descent(on_a_line(line), {0, 1}, options).centres, (Vec{0, 2.125}));
}

TEST(GradientClustering, EndsAtMeans) {
  const Vec line = {0, 1, 5, 6};
  const Grouping found = gradient_descent(on_a_line(line), {0, 1});
  EXPECT_NEAR(found.centres[0], 0.5, 1e-7);
  EXPECT_NEAR(found.centres[1], 5.5, 1e-7);
  EXPECT_EQ(found.labels, (Labels{0, 0, 1, 1}));
  EXPECT_NEAR(found.objective, 4 * 0.25, 1e-12);
  EXPECT_LT(found.iterations, 100u);
}

// Stationary for Huber's loss with delta 1: three points at 0 draw with x each, the far one with 1.
TEST(GradientClustering, HubersLossResistsAPointThatIsFarOff) {
  const Vec line = {0, 0, 0, 100};
  GradientClusteringOptions options;
  options.loss = "huber";
  const Grouping found = gradient_descent(on_a_line(line), {50}, options);
  EXPECT_NEAR(found.centres[0], 1.0 / 3, 1e-6);
  // Twice f: 3 (1/9) + 2 (100 - 1/3) - 1.
  EXPECT_NEAR(found.objective, 3.0 / 9 + 2 * (100 - 1.0 / 3) - 1, 1e-6);
  options.delta = 1000;
  EXPECT_NEAR(gradient_descent(on_a_line(line), {50}, options).centres[0], 25, 1e-4);
}

// A point leaves its centre only for one that is nearer, whichever comes first.
TEST(GradientClustering, APointStaysAmongEqualCentres) {
  const Vec line = {-1, 0, 1};
  GradientClusteringOptions options;
  options.iterations = 1;
  options.step = 1e-9;
  EXPECT_EQ(gradient_descent(on_a_line(line), {-1, 1}, options).labels, (Labels{0, 0, 1}));
  EXPECT_EQ(gradient_descent(on_a_line(line), {1, -1}, options).labels, (Labels{1, 0, 0}));
}

TEST(GradientClustering, ACentreWithoutPointsStays) {
  const Vec line = {0, 1};
  const Grouping found = gradient_descent(on_a_line(line), {0, 50});
  EXPECT_EQ(found.centres[1], 50);
  EXPECT_NEAR(found.centres[0], 0.5, 1e-7);
}

TEST(GradientClustering, TheObjectiveNeverRises) {
  Stream s = stream(1);
  Vec values(600);
  s.normals(values);
  const Points points{values, 200, 3};
  const Vec start = kmeans_plus_plus(points, 5, s);
  for (double step : {0.3, 1.0, 1.9}) {
    double before = HUGE_VAL;
    for (std::int64_t t : {1, 2, 3, 5, 10, 20, 50}) {
      GradientClusteringOptions options;
      options.iterations = t;
      options.step = step;
      const double now = gradient_descent(points, start, options).objective;
      EXPECT_LE(now, before * (1 + 1e-14)) << step << " " << t;
      before = now;
    }
  }
}

TEST(GradientClustering, FindsWhatKMeansFinds) {
  const std::size_t count = 100, width = 10, k = 5;
  Stream s = stream(2);
  Vec values(count * width);
  s.normals(values);
  for (std::size_t i = 0; i < count; ++i) values[i * width + i % k] += 30;
  const Points points{values, count, width};
  Stream a = stream(3), b = stream(3);
  const Grouping found = gradient_clustering(points, k, {}, a);
  const Grouping means = kmeans(points, k, {}, b);
  for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(found.labels[i], found.labels[i % k]);
  EXPECT_NEAR(found.objective, means.objective, 1e-6 * means.objective);
}

TEST(GradientClustering, RefusesWhatIsNotFinite) {
  const Vec line = {1, std::nan("")};
  Stream s = stream(4);
  EXPECT_THROW(gradient_clustering(on_a_line(line), 1, {}, s), Error);
}

}  // namespace
}  // namespace coterie::gradient_clustering_test
