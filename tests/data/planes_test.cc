#include "data/planes.h"

#include <gtest/gtest.h>

namespace coterie::planes_test {
namespace {

TEST(Planes, SamplesBetweenPixels) {
  // A quarter of the way down and half of the way right of pixel (0, 1).
  const Taps taps = taps_at(0.25, 1.5, {2, 3});
  EXPECT_EQ(std::vector<std::uint32_t>(taps.pixel, taps.pixel + 4), (std::vector<std::uint32_t>{1, 2, 4, 5}));
  EXPECT_EQ(std::vector<double>(taps.weight, taps.weight + 4),
            (std::vector<double>{0.375, 0.375, 0.125, 0.125}));
}

TEST(Planes, TakesBackgroundOutside) {
  std::vector<double> plane = {8, 8, 8, 8};
  const std::vector<Taps> taps = {taps_at(-0.5, 0, {2, 2}), taps_at(0, 1.25, {2, 2}), taps_at(1, 1, {2, 2}),
                                  taps_at(5, 5, {2, 2})};
  resample(taps, 4, std::span(plane));
  EXPECT_EQ(plane, (std::vector<double>{6, 7, 8, 4}));
}

// The weights of a unit Gaussian, cut off at 4 and summing to 1, are .398943, .241971, ... by distance.
TEST(Planes, SmoothsAPointIntoAGaussian) {
  std::vector<double> plane(81, 0.0);
  plane[40] = 1;
  smooth(plane, {9, 9}, 1.0);
  EXPECT_NEAR(plane[40], 0.1591559, 1e-6);
  EXPECT_NEAR(plane[41], 0.0965329, 1e-6);
  EXPECT_NEAR(plane[31], 0.0965329, 1e-6);
  EXPECT_NEAR(plane[50], 0.0585502, 1e-6);
}

// Of a step at the edge of a line of two pixels, weights w0 = .797886 / (.797886 + 2 x .107981 + 2 x
// .000268) and so on for deviation 1/2: all that lies beyond the edge counts as the edge's pixel.
TEST(Planes, SmoothsAsIfEdgesWentOn) {
  std::vector<double> plane = {0, 1};
  smooth(plane, {1, 2}, 0.5);
  const double w0 = 0.797886, w1 = 0.107981, w2 = 0.000268, all = w0 + 2 * w1 + 2 * w2;
  EXPECT_NEAR(plane[0], (w1 + w2) / all, 1e-5);
  EXPECT_NEAR(plane[1], (w0 + w1 + w2) / all, 1e-5);
}

TEST(Planes, SmoothingByNothingChangesNothing) {
  std::vector<double> plane = {3, 1, 4, 1};
  smooth(plane, {2, 2}, 0);
  EXPECT_EQ(plane, (std::vector<double>{3, 1, 4, 1}));
}

}  // namespace
}  // namespace coterie::planes_test
