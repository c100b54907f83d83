#include <gtest/gtest.h>

#include <cmath>

#include "coterie/attack.h"
#include "support/plugins.h"

namespace coterie::edge_of_radius_test {
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

// Near the owner (1, 3) are the first two, with mean (1, 0): the line goes straight up. Of 12 clients 3 lie,
// so that beta / delta = 0.25 / (0.75 * 2 / 3) = 1/2: the ball of radius 5 rests 2.5 above the mean.
TEST(EdgeOfRadius, WhoKnowsTheOwnerStandsInItsBall) {
  const std::vector<Vec> changes = {{0, 0}, {2, 0}, {100, 0}};
  const Vec owner = {1, 3};
  const auto lie = [&](const std::string& toml) {
    return make_plugin<Attack>("edge-of-radius", "knows = \"owners\"\nreach = 1\n" + toml)
        ->agree(changes, {12, 3, &owner});
  };
  EXPECT_EQ(lie("radius = 5\nstand = \"first\""), (Vec{1, 8}));
  EXPECT_EQ(lie("radius = 5"), (Vec{1, 7.5}));
  // Where that is outside of the first ball it would never be met: 1 beyond the owner at most.
  EXPECT_EQ(lie("radius = 10"), (Vec{1, 13}));
  // The distance of rank floor(0.4 * 3) = 1 is sqrt 10.
  const Vec by_quantile = lie("quantile = 0.4\nstand = \"first\"");
  EXPECT_NEAR(by_quantile[0], 1, 1e-12);
  EXPECT_NEAR(by_quantile[1], 3 + std::sqrt(10), 1e-12);
  EXPECT_EQ(make_plugin<Attack>("edge-of-radius", "knows = \"owners\"")->agree(changes, {12, 3}).size(), 2u)
      << "where nobody owns the model they do as without it";
}

TEST(EdgeOfRadius, RefusesNoReach) {
  EXPECT_THROW(make_plugin<Attack>("edge-of-radius", "reach = 0"), BadConfig);
  EXPECT_THROW(make_plugin<Attack>("edge-of-radius", "radius = 2.0"), BadConfig)
      << "of liars that know owners";
}

}  // namespace
}  // namespace coterie::edge_of_radius_test
