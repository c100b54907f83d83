#include <gtest/gtest.h>

#include <cmath>

#include "algorithms/tiers/feature_summaries.h"

namespace coterie::tiers_feature_summaries_test {
namespace {

// Rows (2, 2), (-1, -1), (1, -1): Z'Z = [[6, 4], [4, 6]], whose leading vector is (1, 1) / sqrt 2.
TEST(FeatureSummaries, PrincipalDirectionByHand) {
  const Vec z = {2, 2, -1, -1, 1, -1};
  Stream stream(1, {Purpose::test, 0, 0, 0});
  const Vec v = principal_direction({z.data(), 3, 2}, 40, stream);
  EXPECT_NEAR(std::fabs(v[0]), std::sqrt(0.5), 1e-12);
  EXPECT_NEAR(v[0], v[1], 1e-12);
  const Vec zeros(6, 0.0);
  EXPECT_EQ(principal_direction({zeros.data(), 3, 2}, 5, stream), (Vec{0, 0}));
}

TEST(FeatureSummaries, DirectionsHaveNoSign) {
  EXPECT_NEAR(direction_distance(Vec{1, 1}, Vec{-2, -2}), 0, 1e-15);
  EXPECT_NEAR(direction_distance(Vec{1, 0}, Vec{0, 3}), 1, 1e-15);
  EXPECT_NEAR(direction_distance(Vec{1, 0}, Vec{-1, 1}), 1 - std::sqrt(0.5), 1e-15);
}

// Lengths 5, 13 (class 0) and 2 (class 2).
TEST(FeatureSummaries, NormsByClass) {
  const Vec z = {3, 4, 5, 12, 0, 2};
  const Vec norms = class_norms({z.data(), 3, 2}, Vec{0, 0, 2}, 3);
  EXPECT_EQ(norms, (Vec{9, 0, 2}));
  EXPECT_DOUBLE_EQ(norm_distance(norms, Vec{6, 5, 2}), 1.0 / 3);
  EXPECT_DOUBLE_EQ(norm_distance(norms, Vec{9, 5, 8}), 0.75);
  EXPECT_EQ(norm_distance(norms, Vec{0, 5, 0}), 0);
}

}  // namespace
}  // namespace coterie::tiers_feature_summaries_test
