#include "models/feature_map.h"

#include <gtest/gtest.h>

#include <cmath>

#include "models/bound_model.h"

namespace coterie::feature_map_test {
namespace {

FeatureMap bound_map(const std::string& toml, std::size_t inputs, std::uint64_t seed = 1) {
  FeatureMap map;
  set_options(map, toml);
  map.bind(inputs, seed);
  return map;
}

TEST(FeatureMap, IdentityIsTheInputItself) {
  const std::vector<float> x = {1, 2, 3};
  const FeatureMap map = bound_map("", 3);
  EXPECT_EQ(map.width(), 3u);
  EXPECT_EQ(map(x.data(), 1), x.data());
}

TEST(FeatureMap, PolynomialRaisesEachCoordinate) {
  const std::vector<double> x = {2, 3, -1, 10};
  const FeatureMap map = bound_map("features = 'polynomial'\ndegree = 3", 2);
  ASSERT_EQ(map.width(), 6u);
  const double* features = map(x.data(), 2);
  const Vec expected = {2, 3, 4, 9, 8, 27, -1, 10, 1, 100, -1, 1000};
  EXPECT_EQ(Vec(features, features + 12), expected);
}

// Inner products of many features come near the Gaussian kernel; the error is about sqrt(1/count).
TEST(FeatureMap, FourierApproximatesTheGaussianKernel) {
  const std::size_t count = 100000;
  const FeatureMap map =
      bound_map("features = 'fourier'\nbandwidth = 2\ncount = " + std::to_string(count), 3);
  const std::vector<double> x = {0.3, -1, 2, 1, 0.5, 1};
  const double* features = map(x.data(), 2);
  const auto inner = [&](std::size_t a, std::size_t b) {
    double sum = 0;
    for (std::size_t k = 0; k < count; ++k) sum += features[a * count + k] * features[b * count + k];
    return sum;
  };
  const double square = 0.7 * 0.7 + 1.5 * 1.5 + 1;
  EXPECT_NEAR(inner(0, 1), std::exp(-square / 8), 0.015);
  EXPECT_NEAR(inner(0, 0), 1, 0.015);
}

TEST(FeatureMap, TheSeedFixesTheFrequencies) {
  const std::vector<double> x = {1, 2};
  const auto features = [&](std::uint64_t seed) {
    const FeatureMap map = bound_map("features = 'fourier'\ncount = 5", 2, seed);
    const double* values = map(x.data(), 1);
    return Vec(values, values + 5);
  };
  EXPECT_EQ(features(1), features(1));
  EXPECT_NE(features(1), features(2));
}

}  // namespace
}  // namespace coterie::feature_map_test
