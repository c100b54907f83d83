#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "algorithms/tiers/gaussians.h"
#include "coterie/error.h"

namespace coterie::tiers_gaussians_test {
namespace {

// Covariance [[2, 1], [1, 2]]: determinant 3, inverse [[2, -1], [-1, 2]] / 3. At (1, 2) from the mean (0, 1)
// the square is (1, 1) inverse (1, 1) = 2/3.
TEST(Gaussians, LogDensityByHand) {
  const LogDensity density({{0, 1}, {2, 1, 1, 2}});
  const double at_mean = -std::log(2 * std::numbers::pi) - 0.5 * std::log(3.0);
  EXPECT_NEAR(density(Vec{0, 1}), at_mean, 1e-14);
  EXPECT_NEAR(density(Vec{1, 2}), at_mean - 1.0 / 3, 1e-14);
}

TEST(Gaussians, RefuseWhatIsNoCovariance) { EXPECT_THROW(LogDensity({{0, 0}, {1, 2, 2, 1}}), Error); }

// (0, 0), (2, 0) and (2, 3) with weights 1, 1 and 2: mean (1.5, 1.5); variances .75, 2.25; covariance .75.
TEST(Gaussians, FitToAddedMoments) {
  Vec moments(moment_size(2), 0.0);
  add_moments(1, Vec{0, 0}, moments);
  add_moments(1, Vec{2, 0}, moments);
  add_moments(2, Vec{2, 3}, moments);
  const Gaussian got = fitted(moments, {{9, 9}, Vec(4, 1.0)}, 0.5);
  const Vec mean = {1.5, 1.5}, covariance = {0.75 + 0.5, 0.75, 0.75, 2.25 + 0.5};
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(got.mean[i], mean[i], 1e-15);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(got.covariance[i], covariance[i], 1e-15);
}

// Points far from 0 in single precision: what rounding may have done to the covariance is made good, and
// where it is less than the ridge nothing changes.
TEST(Gaussians, FitToRoundedMomentsIsPositiveDefinite) {
  Vec far(moment_size(2), 0.0), near = far;
  for (int j = 0; j < 50; ++j) {
    add_moments(1, Vec{3000 + 0.01 * j, 5000 + 0.01 * (j % 7)}, far);
    add_moments(1, Vec{3 + 0.01 * j, 5 + 0.01 * (j % 7)}, near);
  }
  for (Vec* moments : {&far, &near}) {
    for (double& value : *moments) value = static_cast<float>(value);
  }
  const Gaussian none{{0, 0}, Vec(4, 0.0)};
  EXPECT_THROW(LogDensity(fitted(far, none, 0.01)), Error) << "without, it is not";
  const Gaussian got = fitted(far, none, 0.01, 0x1p-24);
  EXPECT_NO_THROW(LogDensity{got});
  EXPECT_LT(got.covariance[0], 2 * 8 * 0x1p-24 * 3.4e7);
  EXPECT_EQ(fitted(near, none, 0.01, 0x1p-24).covariance, fitted(near, none, 0.01).covariance);
}

TEST(Gaussians, StayWithoutWeight) {
  const Gaussian before{{9, 9}, {1, 0, 0, 1}};
  const Gaussian got = fitted(Vec(moment_size(2), 0.0), before, 0.5);
  EXPECT_EQ(got.mean, before.mean);
  EXPECT_EQ(got.covariance, before.covariance);
  Vec hardly(moment_size(2), 0.0);
  add_moments(1e-7, Vec{1, 2}, hardly);
  EXPECT_EQ(fitted(hardly, before, 0.5).mean, before.mean) << "a ten-millionth of a point";
}

TEST(Gaussians, MomentsThatNoPointsHaveAreTold) {
  const Vec points[] = {{1, 2}, {-3, 0.5}, {4, 4}};
  Vec moments(moment_size(2), 0.0);
  EXPECT_TRUE(possible_moments(moments, 2, 0.01)) << "of no points";
  for (const Vec& z : points) add_moments(0.7, z, moments);
  EXPECT_TRUE(possible_moments(moments, 2, 0.01));
  const auto changed = [&](std::size_t place, double value) {
    Vec other = moments;
    other[place] = value;
    return possible_moments(other, 2, 0.01);
  };
  EXPECT_FALSE(changed(0, -1)) << "less than no points";
  EXPECT_FALSE(changed(0, 0)) << "something of no points";
  EXPECT_FALSE(changed(1, 100)) << "a mean larger than the squares allow";
  EXPECT_FALSE(changed(3, 0.1)) << "squares smaller than those of the mean";
  EXPECT_FALSE(changed(5, 1e6)) << "products larger than the squares allow";
  // One point far away, rounded as it travels: no spread, and squares that are off by their last digits.
  Vec far(moment_size(2), 0.0);
  add_moments(0.3, Vec{3e4, -7e4}, far);
  for (double& m : far) m = static_cast<float>(m);
  EXPECT_TRUE(possible_moments(far, 2, 0.01, 0x1p-24));
  Vec faint(moment_size(2), 0.0);
  add_moments(1e-43, Vec{3, -7}, faint);
  for (double& m : faint) m = static_cast<float>(m);
  EXPECT_TRUE(possible_moments(faint, 2, 0.01, 0x1p-24)) << "of a share that is hardly a float";
}

}  // namespace
}  // namespace coterie::tiers_gaussians_test
