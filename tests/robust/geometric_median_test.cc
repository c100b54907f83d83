#include "robust/geometric_median.h"

#include <gtest/gtest.h>

#include <cmath>

#include "coterie/error.h"
#include "coterie/random.h"

namespace coterie::geometric_median_test {
namespace {

GeometricMedian in_the_plane(const Vec& values, const Vec& weights) {
  return geometric_median({values, weights.size(), 2}, weights);
}

// Fermat's point of a right triangle with equal legs: each side is seen under 120 degrees.
TEST(GeometricMedian, IsFermatsPointOfATriangle) {
  const GeometricMedian found = in_the_plane({0, 0, 1, 0, 0, 1}, {1, 1, 1});
  EXPECT_TRUE(found.converged);
  EXPECT_NEAR(found.point[0], (1 - 1 / std::sqrt(3.0)) / 2, 1e-7);
  EXPECT_NEAR(found.point[1], found.point[0], 1e-7);
  const GeometricMedian large = in_the_plane({0, 0, 1e9, 0, 0, 1e9}, {1, 1, 1});
  EXPECT_NEAR(large.point[0] / 1e9, found.point[0], 1e-7) << "units do not matter";
}

// The angle at the first point is above 120 degrees.
TEST(GeometricMedian, IsOneOfThePointsToTheBitWhereThatIsTheMinimum) {
  const GeometricMedian flat = in_the_plane({0.1, 0.3, 10.1, 1.3, -9.9, 1.3}, {1, 1, 1});
  EXPECT_EQ(flat.point, (Vec{0.1, 0.3}));
  EXPECT_TRUE(flat.converged);
  EXPECT_EQ(in_the_plane({0, 0, 1, 0, 0, 1}, {1, 1, 5}).point, (Vec{0, 1})) << "most of the weight";
  EXPECT_EQ(in_the_plane({0.1, 0.3, 0.1, 0.3, 1e6, -1e6}, {1, 1, 1}).point, (Vec{0.1, 0.3}));
}

// The search begins at the medians of the coordinates, (0, 5). While distances below 5 count as 5, nothing
// pulls it from there; the minimum is elsewhere.
TEST(GeometricMedian, IsNotThatOfSmoothedDistances) {
  const Vec values = {0, -8, 4, 8, -4, 8, -2, 5, 2, 4};
  const GeometricMedian found = in_the_plane(values, {1, 1, 1, 1, 1});
  EXPECT_NEAR(found.point[0], -0.245019323894038, 1e-6);
  EXPECT_NEAR(found.point[1], 4.824222566304568, 1e-6);
}

TEST(GeometricMedian, OfOneOrTwo) {
  EXPECT_EQ(in_the_plane({3, 4}, {2}).point, (Vec{3, 4}));
  EXPECT_EQ(in_the_plane({1, 2, 3, 6}, {1, 1}).point, (Vec{2, 4}));
  EXPECT_EQ(in_the_plane({1, 2, 3, 6}, {1, 1.5}).point, (Vec{3, 6}));
}

// At the minimum the weighted unit vectors to the points cancel.
TEST(GeometricMedian, HasNoSlope) {
  const std::size_t count = 40, width = 6;
  Stream stream(3, {Purpose::test, 0, 0, 0});
  Vec values(count * width), weights(count);
  stream.normals(values);
  for (std::size_t i = 0; i < count; ++i) weights[i] = 1 + static_cast<double>(i % 5);
  const GeometricMedian found = geometric_median({values, count, width}, weights);
  ASSERT_TRUE(found.converged);
  Vec slope(width, 0.0);
  for (std::size_t i = 0; i < count; ++i) {
    double squared = 0;
    for (std::size_t j = 0; j < width; ++j) squared += std::pow(values[i * width + j] - found.point[j], 2);
    for (std::size_t j = 0; j < width; ++j) {
      slope[j] += weights[i] * (values[i * width + j] - found.point[j]) / std::sqrt(squared);
    }
  }
  for (const double one : slope) EXPECT_NEAR(one, 0, 1e-5);
}

// With a share a of liars: within 2 (1 - a) / (1 - 2 a) of the honest radius (RFA, section II.B). Here 6.
TEST(GeometricMedian, IsMovedByABoundedDistanceOnly) {
  for (const double far : {1e3, 1e6, 1e12}) {
    const Vec values = {1, 0, -1, 0, 0, 1, 0, -1, 1, 0, -1, 0, far, far, far, far, far, far, far, far};
    const Vec point = in_the_plane(values, Vec(10, 1.0)).point;
    EXPECT_LE(std::hypot(point[0], point[1]), 6) << far;
    EXPECT_GT(point[0], 0) << "but moved";
  }
}

TEST(GeometricMedian, RefusesWhatIsNotFinite) {
  EXPECT_THROW(in_the_plane({0, std::nan(""), 1, 1}, {1, 1}), Error);
  EXPECT_THROW(in_the_plane({0, 1e200, 1, 1}, {1, 1}), Error);
}

}  // namespace
}  // namespace coterie::geometric_median_test
