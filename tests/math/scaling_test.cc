#include "math/scaling.h"

#include <gtest/gtest.h>

#include <cmath>

namespace coterie::scaling_test {
namespace {

double distance(const Vec& places, std::size_t a, std::size_t b) {
  return std::hypot(places[2 * a] - places[2 * b], places[2 * a + 1] - places[2 * b + 1]);
}

// A rectangle of sides 3 and 4: its distances are known, wherever the picture turns it.
const Vec kCorners = {0, 0, 3, 0, 3, 4, 0, 4};

Vec squared_distances(const Vec& points) {
  Vec out;
  for (std::size_t i = 0; i < points.size() / 2; ++i) {
    for (std::size_t j = 0; j < points.size() / 2; ++j) out.push_back(std::pow(distance(points, i, j), 2));
  }
  return out;
}

TEST(ClassicalScaling, FindsPointsOfThePlaneAgain) {
  const Vec squares = squared_distances(kCorners);
  const Vec places = classical_scaling(Matrix<const double>(squares.data(), 4, 4));
  ASSERT_EQ(places.size(), 8u);
  EXPECT_NEAR(distance(places, 0, 1), 3, 1e-12);
  EXPECT_NEAR(distance(places, 1, 2), 4, 1e-12);
  EXPECT_NEAR(distance(places, 0, 2), 5, 1e-12);
  EXPECT_NEAR(places[0] + places[2] + places[4] + places[6], 0, 1e-12);  // around zero
}

TEST(ClassicalScaling, OnePointIsAtZero) {
  const Vec squares = {0};
  EXPECT_EQ(classical_scaling(Matrix<const double>(squares.data(), 1, 1)), (Vec{0, 0}));
}

TEST(MainAxes, EqualClassicalScalingOfTheDistances) {
  // The same rectangle in three dimensions, all in one plane.
  Vec points;
  for (std::size_t i = 0; i < 4; ++i) points.insert(points.end(), {kCorners[2 * i], 7, kCorners[2 * i + 1]});
  const Vec places = main_axes(Matrix<const double>(points.data(), 4, 3));
  EXPECT_NEAR(distance(places, 0, 1), 3, 1e-12);
  EXPECT_NEAR(distance(places, 0, 2), 5, 1e-12);
  // The longer side lies along the first axis.
  EXPECT_NEAR(std::abs(places[0] - places[6]), 4, 1e-12);
  EXPECT_NEAR(places[1] - places[7], 0, 1e-12);
}

}  // namespace
}  // namespace coterie::scaling_test
