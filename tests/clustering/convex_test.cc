#include "clustering/convex.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "coterie/error.h"
#include "coterie/random.h"

namespace coterie::convex_test {
namespace {

using Labels = std::vector<std::uint32_t>;

Points on_a_line(const Vec& values) { return {values, values.size(), 1}; }

Vec cloud(std::size_t count, std::size_t width, std::uint32_t number) {
  Stream stream(11, {Purpose::test, number, 0, 0});
  Vec values(count * width);
  stream.normals(values);
  return values;
}

// Ten groups, point i in group i mod 10, `apart` from each other along the axes.
Vec groups_of_ten(std::size_t count, std::size_t width, double apart, std::uint32_t number) {
  Vec values = cloud(count, width, number);
  for (std::size_t i = 0; i < count; ++i) values[i * width + i % 10] += apart;
  return values;
}

ConvexClusters solve(const Vec& line, double lambda) {
  return convex_clustering(on_a_line(line), all_pairs(line.size()), lambda);
}

void expect_near(const Vec& found, const Vec& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t c = 0; c < found.size(); ++c) EXPECT_NEAR(found[c], expected[c], tolerance) << c;
}

// Two points at distance 5 draw each other by lambda until they meet in the middle.
TEST(Convex, SolvesTwoPoints) {
  const Vec values = {0, 0, 3, 4};
  const Points points{values, 2, 2};
  const ConvexClusters apart = convex_clustering(points, all_pairs(2), 1.0);
  expect_near(apart.centroids, {0.6, 0.8, 2.4, 3.2}, 1e-9);
  EXPECT_EQ(apart.labels, (Labels{0, 1}));
  EXPECT_EQ(apart.groups, 2u);
  EXPECT_NEAR(apart.objective, 1 * 5 - 1, 1e-9);
  const ConvexClusters met = convex_clustering(points, all_pairs(2), 2.6);
  expect_near(met.centroids, {1.5, 2, 1.5, 2}, 1e-9);
  EXPECT_EQ(met.labels, (Labels{0, 0}));
  EXPECT_NEAR(met.objective, 2 * 6.25 / 2, 1e-9);
}

// 0, 1, 10: the outer two go inwards by 2 lambda, and 1 stays, drawn to both sides. From lambda = 1/2 on the
// first two are one, at their mean + lambda; from 9.5/3 on all are.
TEST(Convex, SolvesThreePointsOnALine) {
  const Vec line = {0, 1, 10};
  const ConvexClusters three = solve(line, 0.25);
  expect_near(three.centroids, {0.5, 1, 9.5}, 1e-6);
  EXPECT_EQ(three.labels, (Labels{0, 1, 2}));
  const ConvexClusters two = solve(line, 1);
  expect_near(two.centroids, {1.5, 1.5, 8}, 1e-6);
  EXPECT_EQ(two.labels, (Labels{0, 0, 1}));
  EXPECT_EQ(solve(line, 3.16).groups, 2u);
  const ConvexClusters one = solve(line, 3.17);
  expect_near(one.centroids, {11.0 / 3, 11.0 / 3, 11.0 / 3}, 1e-6);
  EXPECT_EQ(one.labels, (Labels{0, 0, 0}));
}

// Corners of an equilateral triangle go to its centre by sqrt(3) lambda: two pulls at 30 degrees from that
// line.
TEST(Convex, SolvesATriangle) {
  const double h = std::sqrt(3.0) / 2;
  const Vec values = {1, 0, -0.5, h, -0.5, -h};
  const Points points{values, 3, 2};
  const double rest = 1 - std::sqrt(3.0) * 0.3;
  const ConvexClusters found = convex_clustering(points, all_pairs(3), 0.3);
  expect_near(found.centroids, {rest, 0, -0.5 * rest, h * rest, -0.5 * rest, -h * rest}, 1e-6);
  EXPECT_EQ(found.groups, 3u);
  EXPECT_EQ(convex_clustering(points, all_pairs(3), 0.57).groups, 3u);
  EXPECT_EQ(convex_clustering(points, all_pairs(3), 0.58).groups, 1u);
}

// Only neighbours draw each other, by lambda times the weight of their edge.
TEST(Convex, UsesTheWeightsOfEdges) {
  const Vec line = {0, 1, 10};
  const std::vector<Edge> edges = {{0, 1, 0.25}, {1, 2, 0.5}};
  const ConvexClusters found = convex_clustering(on_a_line(line), edges, 1);
  expect_near(found.centroids, {0.25, 1.25, 9.5}, 1e-6);
}

TEST(Convex, PointsThatNoEdgeJoinsStayApart) {
  const Vec line = {0, 1, 2, 3};
  const ConvexClusters found = convex_clustering(on_a_line(line), {{0, 1, 1.0}, {2, 3, 1.0}}, 100);
  expect_near(found.centroids, {0.5, 0.5, 2.5, 2.5}, 1e-9);
  EXPECT_EQ(found.labels, (Labels{0, 0, 1, 1}));
}

TEST(Convex, WithoutPenaltyPointsAreTheirCentroids) {
  const Vec values = cloud(20, 3, 0);
  const ConvexClusters found = convex_clustering({values, 20, 3}, all_pairs(20), 0);
  expect_near(found.centroids, values, 1e-14);
  EXPECT_EQ(found.groups, 20u);
  EXPECT_EQ(found.gap, 0);
  EXPECT_TRUE(found.converged);
}

TEST(Convex, AHugePenaltyGivesTheMean) {
  const Vec values = cloud(20, 3, 1);
  const ConvexClusters found = convex_clustering({values, 20, 3}, all_pairs(20), 1e6);
  EXPECT_EQ(found.groups, 1u);
  for (std::size_t c = 0; c < 3; ++c) {
    double mean = 0;
    for (std::size_t i = 0; i < 20; ++i) mean += values[i * 3 + c] / 20;
    for (std::size_t i = 0; i < 20; ++i) EXPECT_NEAR(found.centroids[i * 3 + c], mean, 1e-12);
  }
}

TEST(Convex, EqualPointsAreNeverParted) {
  const Vec line = {4, 0, 4, 9, 0};
  for (double lambda : {0.0, 1e-3, 0.5}) {
    EXPECT_EQ(solve(line, lambda).labels, (Labels{0, 1, 0, 2, 1})) << lambda;
  }
  EXPECT_EQ(solve({3, 3, 3}, 0.1).groups, 1u);
}

TEST(Convex, OnePointIsAGroup) {
  const Vec values = {1, 2, 3};
  const ConvexClusters found = convex_clustering({values, 1, 3}, all_pairs(1), 1);
  expect_near(found.centroids, values, 0);
  EXPECT_EQ(found.labels, Labels{0});
  EXPECT_TRUE(found.converged);
}

// The certificate again, from the centroids and duals alone. Points around 0.
struct Certificate {
  double gap = 0;
  double infeasible = 0;  // largest |z| / (lambda w)
};
Certificate certificate(const Points& points, const std::vector<Edge>& edges, double lambda,
                        const Vec& centroids, const Vec& duals) {
  const std::size_t d = points.width;
  Vec mean(d, 0.0);
  for (std::size_t i = 0; i < points.values.size(); ++i) {
    mean[i % d] += points.values[i] / static_cast<double>(points.count);
  }
  Vec u(points.values.begin(), points.values.end());
  double primal = 0, dual = 0;
  Certificate result;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    double length = 0, z = 0;
    for (std::size_t c = 0; c < d; ++c) {
      length += std::pow(centroids[edges[e].a * d + c] - centroids[edges[e].b * d + c], 2);
      z += std::pow(duals[e * d + c], 2);
      u[edges[e].a * d + c] -= duals[e * d + c];
      u[edges[e].b * d + c] += duals[e * d + c];
    }
    primal += lambda * edges[e].weight * std::sqrt(length);
    result.infeasible = std::max(result.infeasible, std::sqrt(z) / (lambda * edges[e].weight));
  }
  for (std::size_t i = 0; i < u.size(); ++i) {
    primal += std::pow(points.values[i] - centroids[i], 2) / 2;
    dual += (std::pow(points.values[i] - mean[i % d], 2) - std::pow(u[i] - mean[i % d], 2)) / 2;
  }
  result.gap = (primal - dual) / primal;
  return result;
}

TEST(Convex, RandomInstancesMeetGapAndResidual) {
  std::uint32_t number = 10;
  int between = 0;  // instances with some but not all points together
  for (double apart : {0.0, 5.0, 100.0}) {
    for (double lambda : {0.003, 0.1, 0.8, 1.0, 1.25}) {
      for (std::size_t width : {11u, 20u}) {
        const Vec values = groups_of_ten(60, width, apart, ++number);
        const Points points{values, 60, width};
        for (const std::vector<Edge>& edges : {all_pairs(60), knn_edges(points, 5, 0.02)}) {
          const double strength = edges.size() == 1770 ? lambda : 10 * lambda;
          Vec duals;
          const ConvexClusters found = convex_clustering(points, edges, strength, {}, &duals);
          between += found.groups > 1 && found.groups < 60 ? 1 : 0;
          EXPECT_TRUE(found.converged);
          EXPECT_LT(found.gap, 1e-6);
          EXPECT_LT(found.residual, 1e-6);
          const Certificate again = certificate(points, edges, strength, found.centroids, duals);
          EXPECT_LT(again.gap, 1e-6);
          EXPECT_NEAR(again.gap, found.gap, 1e-11);
          EXPECT_LE(again.infeasible, 1 + 1e-12);
        }
      }
    }
  }
  EXPECT_GT(between, 5);
}

// Groups that are 20 apart, with a lambda inside interval (13).
TEST(Convex, RecoversGroups) {
  const Vec values = groups_of_ten(100, 20, 200, 5);
  const ConvexClusters found = convex_clustering({values, 100, 20}, all_pairs(100), 1.2);
  EXPECT_EQ(found.groups, 10u);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(found.labels[i], i % 10);
  for (std::size_t c = 0; c < 20; ++c) EXPECT_EQ(found.centroids[c], found.centroids[10 * 20 + c]);
}

TEST(Convex, AWarmStartEndsAtTheSame) {
  const Vec values = groups_of_ten(50, 12, 6, 6);
  const Points points{values, 50, 12};
  const std::vector<Edge> edges = all_pairs(50);
  const ConvexClusters cold = convex_clustering(points, edges, 0.08);
  Vec duals;
  convex_clustering(points, edges, 0.075, {}, &duals);
  const ConvexClusters warm = convex_clustering(points, edges, 0.08, {}, &duals);
  EXPECT_EQ(warm.labels, cold.labels);
  expect_near(warm.centroids, cold.centroids, 1e-4);
  const ConvexClusters same = convex_clustering(points, edges, 0.08, {}, &duals);
  EXPECT_LE(same.iterations, 3u);
  EXPECT_EQ(same.labels, cold.labels);
  Vec other_size(7);
  EXPECT_EQ(convex_clustering(points, edges, 0.08, {}, &other_size).iterations, cold.iterations);
  EXPECT_EQ(other_size.size(), edges.size() * 12);
}

// Three groups in the plane, moved into 300 dimensions along two orthonormal directions, has the same
// solution there, and duals that are no wider than there are points.
TEST(Convex, WidePointsAreSolvedInTheSpaceThatTheySpan) {
  const std::size_t count = 12, width = 300;
  Vec plane = cloud(count, 2, 9);
  for (std::size_t i = 0; i < count; ++i) {
    plane[2 * i] = 0.1 * plane[2 * i] + 5 * static_cast<double>(i % 3);
    plane[2 * i + 1] *= 0.1;
  }
  const auto embed = [&](const Vec& flat) {
    Vec wide(count * width, 7.0);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t c = 0; c < 100; ++c) wide[i * width + c] += flat[2 * i] / 10;
      for (std::size_t c = 100; c < 200; ++c) wide[i * width + c] -= flat[2 * i + 1] / 10;
    }
    return wide;
  };
  ConvexOptions options;
  options.tolerance = 1e-10;
  const std::vector<Edge> edges = all_pairs(count);
  const ConvexClusters flat = convex_clustering({plane, count, 2}, edges, 0.2, options);
  EXPECT_EQ(flat.groups, 3u);
  Vec duals;
  const Vec values = embed(plane);
  const ConvexClusters wide = convex_clustering({values, count, width}, edges, 0.2, options, &duals);
  EXPECT_EQ(wide.labels, flat.labels);
  EXPECT_NEAR(wide.objective, flat.objective, 1e-9);
  expect_near(wide.centroids, embed(flat.centroids), 1e-6);
  EXPECT_LE(duals.size(), edges.size() * count);
  EXPECT_LE(convex_clustering({values, count, width}, edges, 0.2, options, &duals).iterations, 3u)
      << "they are a start";
}

// SolvesThreePointsOnALine, in units of 2^-30 around 1000.
TEST(Convex, SolvesPointsThatAreNearlyEqual) {
  const double unit = std::ldexp(1, -30);
  const ConvexClusters found = solve({1000, 1000 + unit, 1000 + 10 * unit}, unit);
  EXPECT_TRUE(found.converged);
  EXPECT_EQ(found.labels, (Labels{0, 0, 1}));
  expect_near(found.centroids, {1000 + 1.5 * unit, 1000 + 1.5 * unit, 1000 + 8 * unit}, 3e-13);
}

// The same beside their mirror image at -1000, which draws each by 3 lambda more. The moves are a millionth
// of a millionth of the coordinates.
TEST(Convex, SmallMovesOfLargeCoordinatesAreCertified) {
  const double unit = std::ldexp(1, -30);
  Vec line;
  for (const double side : {1.0, -1.0}) {
    for (const double x : {0.0, 1.0, 10.0}) line.push_back(side * (1000 + x * unit));
  }
  const ConvexClusters alone = solve(line, 0.25 * unit);
  EXPECT_TRUE(alone.converged);
  EXPECT_LT(alone.iterations, 1000u);
  EXPECT_EQ(alone.groups, 6u);
  const ConvexClusters pairs = solve(line, unit);
  EXPECT_TRUE(pairs.converged);
  EXPECT_EQ(pairs.labels, (Labels{0, 0, 1, 2, 2, 3}));
  EXPECT_NEAR(pairs.centroids[2] - pairs.centroids[0], 6.5 * unit, 3e-13);
  EXPECT_NEAR(pairs.centroids[0] - 1000, -1.5 * unit, 3e-13);
}

TEST(Convex, SaysWhenItRanOutOfIterations) {
  const Vec values = cloud(50, 3, 7);
  ConvexOptions options;
  options.iterations = 5;
  const ConvexClusters found = convex_clustering({values, 50, 3}, all_pairs(50), 0.02, options);
  EXPECT_EQ(found.iterations, 5u);
  EXPECT_FALSE(found.converged);
  EXPECT_GT(std::max(found.gap, found.residual), 1e-6);
}

TEST(Convex, SameBitsWhateverTheAddress) {
  const Vec values = groups_of_ten(40, 13, 5, 8);
  Vec moved(values.size() + 1);
  std::copy(values.begin(), values.end(), moved.begin() + 1);
  const ConvexClusters here = convex_clustering({values, 40, 13}, all_pairs(40), 0.05);
  const ConvexClusters there =
      convex_clustering({std::span<const double>(moved).subspan(1), 40, 13}, all_pairs(40), 0.05);
  EXPECT_EQ(here.centroids, there.centroids);
  EXPECT_EQ(here.labels, there.labels);
}

TEST(Convex, RefusesWhatIsNotFinite) {
  const Vec line = {1, std::nan(""), 2};
  EXPECT_THROW(solve(line, 1), Error);
}

}  // namespace
}  // namespace coterie::convex_test
