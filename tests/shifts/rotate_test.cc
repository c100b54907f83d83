#include <gtest/gtest.h>

#include <cmath>

#include "coterie/shift.h"
#include "support/plugins.h"

namespace coterie::rotate_test {
namespace {

Samples image(std::size_t height, std::size_t columns, std::size_t channels,
              std::vector<std::uint8_t> pixels) {
  Samples samples;
  samples.shape = {.width = height * columns * channels,
                   .classes = 2,
                   .height = height,
                   .columns = columns,
                   .channels = channels};
  samples.targets.assign(pixels.size() / samples.shape.width, 0.0);
  samples.features = std::move(pixels);
  return samples;
}

void turn(Samples& samples, double angle) {
  const auto shift = make_plugin<Shift>("rotate", "angles = [" + std::to_string(angle) + "]");
  shift->check_shape(samples.shape);
  Stream stream(1, {.purpose = Purpose::shift});
  shift->apply(0, samples, stream);
}

std::vector<std::uint8_t> turned(Samples samples, double angle) {
  turn(samples, angle);
  return std::get<std::vector<std::uint8_t>>(samples.features);
}

using Pixels = std::vector<std::uint8_t>;

TEST(Rotate, TurnsQuartersCounterClockwise) {
  const Samples square = image(3, 3, 1,
                               {1, 2, 3,  //
                                4, 5, 6,  //
                                7, 8, 9});
  EXPECT_EQ(turned(square, 0), (Pixels{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(turned(square, 90), (Pixels{3, 6, 9,  //
                                        2, 5, 8,  //
                                        1, 4, 7}));
  EXPECT_EQ(turned(square, 180), (Pixels{9, 8, 7, 6, 5, 4, 3, 2, 1}));
  EXPECT_EQ(turned(square, 270), (Pixels{7, 4, 1,  //
                                         8, 5, 2,  //
                                         9, 6, 3}));
}

TEST(Rotate, CountsAnglesModulo360) {
  const Samples square = image(2, 2, 1, {1, 2, 3, 4});
  EXPECT_EQ(turned(square, -90), turned(square, 270));
  EXPECT_EQ(turned(square, 450), turned(square, 90));
  const auto shift = make_plugin<Shift>("rotate", "angles = [90, 0, 360, -270, 45]");
  std::vector<std::size_t> first;
  for (std::size_t v = 0; v < 5; ++v) first.push_back(shift->canonical(v, square.shape));
  EXPECT_EQ(first, (std::vector<std::size_t>{0, 1, 1, 0, 4}));
  EXPECT_EQ(shift->variant_name(3), "rotate 90");
}

TEST(Rotate, TurnsEveryChannelOfEveryRow) {
  const Samples two = image(2, 2, 2, {1, 2, 3, 4, 5, 6, 7, 8, 10, 20, 30, 40, 50, 60, 70, 80});
  EXPECT_EQ(turned(two, 90), (Pixels{2, 4, 1, 3, 6, 8, 5, 7, 20, 40, 10, 30, 60, 80, 50, 70}));
}

TEST(Rotate, TurnsOblongImagesByHalves) {
  const Samples oblong = image(2, 3, 1, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(turned(oblong, 180), (Pixels{6, 5, 4, 3, 2, 1}));
  EXPECT_THROW(turned(oblong, 90), Error);
  EXPECT_THROW(turned(oblong, 270), Error);
}

TEST(Rotate, RefusesSamplesThatAreNotImages) {
  EXPECT_THROW(make_plugin<Shift>("rotate")->check_shape({.width = 4, .classes = 2}), Error);
}

TEST(Rotate, RefusesAnEmptyListAndAnglesThatAreNotFinite) {
  EXPECT_THROW(make_plugin<Shift>("rotate", "angles = []"), BadConfig);
  EXPECT_THROW(make_plugin<Shift>("rotate", "angles = [nan]"), BadConfig);
}

// 45 degrees about the centre of 3 x 3: the centre stays, and each edge's middle comes from a point at
// distance 1 on a diagonal, c = 1/sqrt 2 away from the centre both ways.
TEST(Rotate, InterpolatesBetweenQuarterTurns) {
  Samples square = image(3, 3, 1, {10, 20, 30, 40, 50, 60, 70, 80, 90});
  turn(square, 45);
  const auto& pixels = std::get<std::vector<float>>(square.features);
  const double c = std::sqrt(0.5);
  const auto mix = [&](double corner, double along, double across, double centre) {
    return c * c * corner + c * (1 - c) * (along + across) + (1 - c) * (1 - c) * centre;
  };
  EXPECT_FLOAT_EQ(pixels[4], 50);
  EXPECT_FLOAT_EQ(pixels[1],
                  static_cast<float>(mix(30, 20, 60, 50)));  // top middle shows the top right corner
  EXPECT_FLOAT_EQ(pixels[3], static_cast<float>(mix(10, 20, 40, 50)));  // left middle: top left
  EXPECT_FLOAT_EQ(pixels[7], static_cast<float>(mix(70, 40, 80, 50)));
  EXPECT_FLOAT_EQ(pixels[5], static_cast<float>(mix(90, 60, 80, 50)));
}

TEST(Rotate, FillsTheOutsideWithWhatByteZeroStandsFor) {
  Samples white = image(3, 3, 1, Pixels(9, 255));
  white.scale = 2.0 / 255;
  white.offset = -1;  // byte 0 is -1, byte 255 is 1
  turn(white, 45);
  float pixels[9];
  white.copy_row(0, std::span<float>(pixels));
  EXPECT_NEAR(pixels[4], 1, 1e-6);
  // The corner's source lies sqrt 2 above the centre: 1 - (sqrt 2 - 1) of the way inside along one axis.
  const double inside = 2 - std::sqrt(2.0);
  EXPECT_NEAR(pixels[0], 2 * inside - 1, 1e-6);
}

TEST(Rotate, TwoEighthsComeNearAQuarter) {
  Samples small = image(9, 9, 1, Pixels(81, 0));
  auto& pixels = std::get<Pixels>(small.features);
  for (int r = 2; r < 7; ++r) {
    for (int c = 2; c < 7; ++c)
      pixels[static_cast<std::size_t>(r * 9 + c)] = static_cast<std::uint8_t>(10 * r + c);
  }
  Samples quarter = small;
  turn(quarter, 90);
  for (int i = 0; i < 2; ++i) turn(small, 45);
  float twice[81], once[81];
  small.copy_row(0, std::span<float>(twice));
  quarter.copy_row(0, std::span<float>(once));
  for (int r = 3; r < 6; ++r) {
    for (int c = 3; c < 6; ++c) EXPECT_NEAR(twice[r * 9 + c], once[r * 9 + c], 4) << r << " " << c;
  }
}

}  // namespace
}  // namespace coterie::rotate_test
