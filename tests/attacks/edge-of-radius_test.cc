#include <gtest/gtest.h>

#include <cmath>

#include "coterie/attack.h"
#include "support/plugins.h"

namespace coterie {
namespace {

TEST(EdgeOfRadius, StandsAtTheMedianDistanceOppositeToTheMean) {
  const std::vector<Vec> changes = {{4, 4}, {2, 4}, {3, 4}};  // mean (3, 4), of length 5; distances 1, 1, 0
  const double r = std::sqrt(1.5) * 1;
  const Vec lie = make_plugin<Attack>("edge-of-radius", "reach = 1")->agree(changes, {10, 3});
  EXPECT_NEAR(lie[0], 3 - r * 0.6, 1e-12);
  EXPECT_NEAR(lie[1], 4 - r * 0.8, 1e-12);
}

TEST(EdgeOfRadius, ReachIsInRadii) {
  const std::vector<Vec> changes = {{0, 2}, {4, 2}};  // mean (2, 2), r = sqrt 2 * 2, as long as the mean
  const Vec lie = make_plugin<Attack>("edge-of-radius", "reach = 0.5")->agree(changes, {10, 2});
  EXPECT_NEAR(lie[0], 1, 1e-12);
  EXPECT_NEAR(lie[1], 1, 1e-12);
}

TEST(EdgeOfRadius, OneLiarAloneTakesTheLengthOfItsChange) {
  const Vec lie = make_plugin<Attack>("edge-of-radius")->agree(std::vector<Vec>{{3, 4}}, {10, 1});
  EXPECT_NEAR(lie[0], 0.15, 1e-12);  // 5 % of the way are left
  EXPECT_NEAR(lie[1], 0.2, 1e-12);
}

TEST(EdgeOfRadius, WithoutADirectionItStaysAtTheMean) {
  const std::vector<Vec> changes = {{1, 0}, {-1, 0}};
  EXPECT_EQ(make_plugin<Attack>("edge-of-radius")->agree(changes, {10, 2}), (Vec{0, 0}));
}

TEST(EdgeOfRadius, RefusesNoReach) {
  EXPECT_THROW(make_plugin<Attack>("edge-of-radius", "reach = 0"), BadConfig);
}

}  // namespace
}  // namespace coterie
