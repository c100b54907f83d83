#include <gtest/gtest.h>

#include <cmath>

#include "coterie/shift.h"
#include "support/plugins.h"

namespace coterie::corrupt_test {
namespace {

// Square images of bytes from 0 to 255, or of numbers.
Samples images(std::size_t side, std::size_t channels, std::size_t count) {
  Samples samples;
  samples.shape = {
      .width = side * side * channels, .classes = 2, .height = side, .columns = side, .channels = channels};
  samples.targets.assign(count, 0.0);
  samples.features = std::vector<std::uint8_t>(count * samples.shape.width, 0);
  samples.scale = 1.0 / 255;
  return samples;
}
Samples bytes(std::size_t side, std::size_t channels, std::vector<std::uint8_t> pixels) {
  Samples samples = images(side, channels, pixels.size() / (side * side * channels));
  samples.features = std::move(pixels);
  return samples;
}
Samples numbers(std::size_t side, std::size_t count, std::vector<double> pixels) {
  Samples samples = images(side, 1, count);
  samples.features = std::move(pixels);
  samples.scale = 1;
  return samples;
}

std::vector<double> corrupted(Samples samples, const std::string& type, int severity,
                              std::uint64_t seed = 1) {
  const auto shift = make_plugin<Shift>(
      "corrupt", "types = [\"" + type + "\"]\nseverities = [" + std::to_string(severity) + "]");
  shift->check_shape(samples.shape);
  Stream stream(seed, {.purpose = Purpose::shift});
  shift->apply(0, samples, stream);
  std::vector<double> pixels(samples.size() * samples.shape.width);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples.copy_row(i, std::span(pixels).subspan(i * samples.shape.width, samples.shape.width));
  }
  return pixels;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], wanted[i], 1e-6) << i;
}

TEST(Corrupt, BrightnessAddsUpToWhite) {
  const Samples image = bytes(2, 1, {0, 51, 204, 255});  // 0, .2, .8, 1
  expect_near(corrupted(image, "brightness", 1), {0.05, 0.25, 0.85, 1});
  expect_near(corrupted(image, "brightness", 5), {0.3, 0.5, 1, 1});
}

TEST(Corrupt, ContrastDrawsEachPlaneToItsMean) {
  // Planes 0, .4, .6, 1 with mean .5, and 0, 0, 0, .8 with mean .2.
  const Samples image = bytes(2, 2, {0, 102, 153, 255, 0, 0, 0, 204});
  expect_near(corrupted(image, "contrast", 2), {0.25, 0.45, 0.55, 0.75, 0.1, 0.1, 0.1, 0.5});
  expect_near(corrupted(image, "contrast", 5), {0.425, 0.485, 0.515, 0.575, 0.17, 0.17, 0.17, 0.29});
}

TEST(Corrupt, BlurSpreadsAPointAsAGaussian) {
  Samples point = images(9, 1, 1);
  std::get<std::vector<std::uint8_t>>(point.features)[40] = 255;
  EXPECT_NEAR(corrupted(point, "blur", 5)[40], 0.1591559, 1e-6);  // deviation 1
  EXPECT_NEAR(corrupted(point, "blur", 5)[41], 0.0965329, 1e-6);
  EXPECT_NEAR(corrupted(point, "blur", 1)[40], 0.8449616,
              1e-6);  // deviation .4: 1 / (1 + 2 e^-3.125 + ...)^2
}

TEST(Corrupt, NoiseHasItsDeviationAndIsCut) {
  const double deviations[5] = {0.04, 0.06, 0.08, 0.09, 0.10};
  const std::size_t count = 20000;
  for (int severity = 1; severity <= 5; ++severity) {
    double sum = 0, squares = 0;
    for (double pixel : corrupted(numbers(1, count, std::vector<double>(count, 0.5)), "noise", severity)) {
      sum += pixel - 0.5;
      squares += (pixel - 0.5) * (pixel - 0.5);
    }
    const double wanted = deviations[severity - 1];
    EXPECT_NEAR(sum / count, 0, 5 * wanted / std::sqrt(count));
    EXPECT_NEAR(std::sqrt(squares / count), wanted, 0.03 * wanted);
  }
  // Black stays black or gets lighter: half of the pixels, by .1 sqrt(2 / pi) on average.
  double sum = 0;
  std::size_t black = 0;
  for (double pixel : corrupted(numbers(1, count, std::vector<double>(count, 0.0)), "noise", 5)) {
    ASSERT_GE(pixel, 0);
    sum += pixel;
    black += pixel == 0;
  }
  EXPECT_NEAR(static_cast<double>(black) / count, 0.5, 0.02);
  EXPECT_NEAR(sum / count, 0.5 * 0.1 * std::sqrt(2 / 3.14159265), 0.002);
}

// On a ramp from left to right a pixel's value tells the column it came from.
std::vector<double> columns_moved(std::size_t side, int severity, std::uint64_t seed) {
  std::vector<double> ramp;
  for (std::size_t p = 0; p < side * side; ++p)
    ramp.push_back(static_cast<double>(p % side) / static_cast<double>(side - 1));
  std::vector<double> moved = corrupted(numbers(side, 1, ramp), "elastic", severity, seed);
  for (std::size_t p = 0; p < moved.size(); ++p)
    moved[p] = (moved[p] - ramp[p]) * static_cast<double>(side - 1);
  return moved;
}

// Severity 1 has no local displacements. On 9 x 9 pixels three points, 3 pixels off the centre (4, 4), are
// moved by up to .08 x 9, uniformly; the centre lies half-way between two of them.
TEST(Corrupt, ElasticCarriesTheImageWithThreePoints) {
  double squares[3] = {0, 0, 0};
  const int trials = 2000;
  for (int seed = 0; seed < trials; ++seed) {
    const std::vector<double> moved = columns_moved(9, 1, static_cast<std::uint64_t>(seed));
    const double points[3] = {moved[7 * 9 + 7], moved[7 * 9 + 1], moved[1 * 9 + 1]};
    EXPECT_NEAR(moved[4 * 9 + 4], (points[0] + points[2]) / 2, 1e-6);
    for (int i = 0; i < 3; ++i) {
      EXPECT_LE(std::abs(points[i]), 0.72 + 1e-6);
      squares[i] += points[i] * points[i] / trials;
    }
  }
  for (double square : squares) EXPECT_NEAR(std::sqrt(square), 0.72 / std::sqrt(3.0), 0.02);
}

// Severity 5 on 33 x 33 pixels, three points 11 pixels off the centre: uniform noise up to 3.3 pixels,
// deviation 3.3 / sqrt 3, is smoothed with deviation .99, whose squared weights sum to .284981 along each
// axis. What the three points cannot explain at the centre then has deviation 3.3 / sqrt 3 x .284981 x
// sqrt 1.5.
TEST(Corrupt, ElasticAddsSmoothedLocalDisplacements) {
  double square = 0;
  const int trials = 500;
  for (int seed = 0; seed < trials; ++seed) {
    const std::vector<double> moved = columns_moved(33, 5, static_cast<std::uint64_t>(seed));
    const double local = moved[16 * 33 + 16] - (moved[27 * 33 + 27] + moved[5 * 33 + 5]) / 2;
    square += local * local / trials;
  }
  EXPECT_NEAR(std::sqrt(square), 0.665, 0.08);
}

TEST(Corrupt, ElasticMovesAllChannelsAlikeAndImagesApart) {
  std::vector<std::uint8_t> pixels;
  for (int image = 0; image < 2; ++image) {
    for (int channel = 0; channel < 3; ++channel) {
      for (int p = 0; p < 64; ++p) pixels.push_back(static_cast<std::uint8_t>(p * 4));
    }
  }
  const std::vector<double> moved = corrupted(bytes(8, 3, pixels), "elastic", 4);
  const auto plane = [&](int number) {
    return std::vector<double>(moved.begin() + number * 64, moved.begin() + number * 64 + 64);
  };
  EXPECT_EQ(plane(0), plane(1));
  EXPECT_EQ(plane(0), plane(2));
  EXPECT_NE(plane(0), plane(3));
}

TEST(Corrupt, RotationIsThatOfTheShiftRotate) {
  std::vector<std::uint8_t> pixels;
  for (int p = 0; p < 25; ++p) pixels.push_back(static_cast<std::uint8_t>((p * 37) % 256));
  Samples turned = bytes(5, 1, pixels);
  Stream stream(1, {.purpose = Purpose::shift});
  make_plugin<Shift>("rotate", "angles = [30]")->apply(0, turned, stream);
  std::vector<double> wanted(25);
  turned.copy_row(0, std::span(wanted));
  expect_near(corrupted(bytes(5, 1, pixels), "rotation", 3), wanted);
}

TEST(Corrupt, KnowsBlackAndWhiteOfScaledBytes) {
  Samples image = bytes(2, 1, {0, 51, 102, 255});
  image.scale = 2.0 / 255;  // black is -1, white 1
  image.offset = -1;
  expect_near(corrupted(image, "brightness", 2), {-0.8, -0.4, 0, 1});
  Samples digit = bytes(2, 1, {0, 4, 8, 16});
  digit.scale = 1.0 / 16;  // white is byte 16
  expect_near(corrupted(digit, "brightness", 2), {0.1, 0.35, 0.6, 1});
}

TEST(Corrupt, RefusesNumbersThatAreNoPixels) {
  EXPECT_THROW(corrupted(numbers(2, 1, {0, 0.5, 1, 2.8}), "noise", 1), Error);
  EXPECT_THROW(corrupted(numbers(2, 1, {-0.4, 0.5, 1, 1}), "noise", 1), Error);
}

TEST(Corrupt, NoneLeavesBytesAlone) {
  Samples image = bytes(2, 1, {1, 2, 3, 4});
  Stream stream(1, {.purpose = Purpose::shift});
  make_plugin<Shift>("corrupt", "types = [\"none\"]")->apply(0, image, stream);
  EXPECT_EQ(std::get<std::vector<std::uint8_t>>(image.features), (std::vector<std::uint8_t>{1, 2, 3, 4}));
}

TEST(Corrupt, HasAVariantForEachTypeAtEachSeverity) {
  const auto shift =
      make_plugin<Shift>("corrupt", "types = [\"none\", \"blur\", \"blur\"]\nseverities = [2, 4]");
  std::vector<std::string> names;
  std::vector<std::size_t> first;
  for (std::size_t v = 0; v < shift->variants(); ++v) {
    names.push_back(shift->variant_name(v));
    first.push_back(shift->canonical(v, {}));
  }
  EXPECT_EQ(names, (std::vector<std::string>{"not corrupted", "not corrupted", "blur 2", "blur 4", "blur 2",
                                             "blur 4"}));
  EXPECT_EQ(first, (std::vector<std::size_t>{0, 0, 2, 3, 2, 3}));
  EXPECT_FALSE(shift->is_truth_by_default());
}

TEST(Corrupt, RefusesUnknownTypesAndSeverities) {
  EXPECT_THROW(make_plugin<Shift>("corrupt", "types = [\"fog\"]"), BadConfig);
  EXPECT_THROW(make_plugin<Shift>("corrupt", "types = []"), BadConfig);
  EXPECT_THROW(make_plugin<Shift>("corrupt", "severities = [0]"), BadConfig);
  EXPECT_THROW(make_plugin<Shift>("corrupt", "severities = [6]"), BadConfig);
  EXPECT_THROW(make_plugin<Shift>("corrupt", "severities = []"), BadConfig);
  EXPECT_THROW(make_plugin<Shift>("corrupt")->check_shape({.width = 4, .classes = 2}), Error);
}

}  // namespace
}  // namespace coterie::corrupt_test
