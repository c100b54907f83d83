#include "groups/projection.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/planted_estimates.h"

namespace coterie::projection_test {
namespace {

TEST(Projection, FindsTheOneDirectionThatMatters) {
  // All clients alike but for coordinate 2, whose noise is the largest: it matters in units of noise.
  Estimates all = planted_estimates({.clients = 60, .width = 5}, 1);
  for (std::size_t i = 0; i < 60; ++i) {
    for (std::size_t c = 0; c < 5; ++c) all.of[i].v[c * 5 + c] = 0.01;
    all.of[i].b[0] *= 100;  // large numbers that are noise
    all.of[i].v[0] = 100;
    all.of[i].b[2] += i % 2 == 0 ? 0.5 : -0.5;
  }
  const Projection found = leading_directions(all, 4);
  ASSERT_EQ(found.directions, 1u);
  EXPECT_GT(found.lambda[0], 15);              // (.25 + .01) / .01
  EXPECT_NEAR(std::abs(found.x[2]), 10, 0.5);  // x' N x = 1
  EXPECT_LT(std::abs(found.x[1]), 2);
  const Cloud cloud = project_estimates(all, found);
  EXPECT_EQ(cloud.width, 1u);
  EXPECT_NEAR(std::abs(cloud.b[0] - cloud.b[1]), 10, 4);
  EXPECT_NEAR(cloud.v[0], 1, 1e-9);
}

TEST(Projection, HasAtLeastOneAndAtMostSoMany) {
  EXPECT_EQ(leading_directions(planted_estimates({.clients = 60, .width = 6}, 2), 4).directions, 1u);
  EXPECT_EQ(leading_directions(planted_estimates({.clients = 60, .width = 6, .inside = 1}, 2), 4).directions,
            4u);
  EXPECT_EQ(leading_directions(planted_estimates({.clients = 60, .width = 6, .inside = 1}, 2), 2).directions,
            2u);
}

TEST(Projection, KeepsMahalanobisDistancesWhenAllDirectionsAreKept) {
  const Estimates all = planted_estimates({.clients = 9, .width = 3, .inside = 5}, 3);
  const Projection found = leading_directions(all, 4);
  ASSERT_EQ(found.directions, 3u);
  const Cloud cloud = project_estimates(all, found);
  double before = 0, after = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    before += std::pow(all.of[0].b[c] - all.of[1].b[c], 2) / all.of[0].v[0];
    after += std::pow(cloud.b[c] - cloud.b[3 + c], 2) / cloud.v[0];
  }
  EXPECT_NEAR(after / before, 1, 1e-9);
}

}  // namespace
}  // namespace coterie::projection_test
