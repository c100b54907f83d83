#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "coterie/shift.h"
#include "data/formats/picture.h"
#include "shifts/cifar-c/photo.h"
#include "support/plugins.h"

namespace coterie::cifar_c_test {
namespace {

const std::vector<std::string> kTypes = {"gaussian_noise",
                                         "shot_noise",
                                         "impulse_noise",
                                         "defocus_blur",
                                         "glass_blur",
                                         "motion_blur",
                                         "zoom_blur",
                                         "snow",
                                         "frost",
                                         "fog",
                                         "brightness",
                                         "contrast",
                                         "elastic_transform",
                                         "pixelate",
                                         "jpeg_compression",
                                         "speckle_noise",
                                         "gaussian_blur",
                                         "spatter",
                                         "saturate"};

// Scenes with a sky, ground, a round thing with an edge and some texture, in bytes.
Samples scenes(std::size_t count, std::size_t side = 32, std::size_t channels = 3) {
  Samples samples;
  samples.shape = {
      .width = side * side * channels, .classes = 2, .height = side, .columns = side, .channels = channels};
  samples.scale = 1.0 / 255;
  samples.targets.assign(count, 0.0);
  std::vector<std::uint8_t> pixels;
  Stream stream(3, {.purpose = Purpose::test});
  for (std::size_t i = 0; i < count; ++i) {
    const double row = stream.uniform(0.3, 0.7) * static_cast<double>(side);
    const double column = stream.uniform(0.3, 0.7) * static_cast<double>(side);
    const double radius = stream.uniform(0.15, 0.3) * static_cast<double>(side);
    const double sky[3] = {stream.uniform(0.3, 0.6), stream.uniform(0.4, 0.7), stream.uniform(0.5, 0.8)};
    const double thing[3] = {stream.uniform(0.4, 0.8), stream.uniform(0.1, 0.4), stream.uniform(0.1, 0.4)};
    for (std::size_t c = 0; c < channels; ++c) {
      for (std::size_t p = 0; p < side * side; ++p) {
        const double r = static_cast<double>(p / side), q = static_cast<double>(p % side);
        const bool inside = std::hypot(r - row, q - column) < radius;
        double value = inside ? thing[c] : sky[c] * (0.6 + 0.4 * r / static_cast<double>(side));
        value += 0.08 * std::sin(1.3 * r + 0.4 * static_cast<double>(i)) * std::cos(1.1 * q);
        pixels.push_back(static_cast<std::uint8_t>(255 * std::clamp(value, 0.0, 1.0)));
      }
    }
  }
  samples.features = std::move(pixels);
  return samples;
}

Samples corrupted(Samples samples, const std::string& type, int severity, std::uint64_t seed = 1) {
  const auto shift = make_plugin<Shift>(
      "cifar-c", "types = [\"" + type + "\"]\nseverities = [" + std::to_string(severity) + "]");
  shift->check_shape(samples.shape);
  Stream stream(seed, {.purpose = Purpose::shift});
  shift->apply(0, samples, stream);
  return samples;
}

std::vector<double> values_of(const Samples& samples) {
  std::vector<double> values(samples.size() * samples.shape.width);
  for (std::size_t i = 0; i < samples.size(); ++i)
    samples.copy_row(i, std::span(values).subspan(i * samples.shape.width, samples.shape.width));
  return values;
}

// How much the pattern changed, on average over images: 1 - the correlation of the values before and after.
// Unlike the mean difference it does not fall when a corruption darkens the image as well.
double unlike(const Samples& clean, const Samples& changed) {
  const std::vector<double> x = values_of(clean), y = values_of(changed);
  const std::size_t width = clean.shape.width;
  double sum = 0;
  for (std::size_t start = 0; start < x.size(); start += width) {
    double mean_x = 0, mean_y = 0, xx = 0, yy = 0, xy = 0;
    for (std::size_t j = start; j < start + width; ++j) {
      mean_x += x[j] / static_cast<double>(width);
      mean_y += y[j] / static_cast<double>(width);
    }
    for (std::size_t j = start; j < start + width; ++j) {
      xx += (x[j] - mean_x) * (x[j] - mean_x);
      yy += (y[j] - mean_y) * (y[j] - mean_y);
      xy += (x[j] - mean_x) * (y[j] - mean_y);
    }
    sum += 1 - xy / std::sqrt(xx * yy);
  }
  return sum / static_cast<double>(clean.size());
}

// Where parameters are published that do not order all five severities, those that they do order.
std::vector<std::vector<int>> ordered_severities(const std::string& type) {
  if (type == "glass_blur") return {{1, 4}, {2, 4}, {3, 5}};  // one shuffle or two, smoothed alike
  if (type == "motion_blur")
    return {{1, 2, 3, 5}, {1, 2, 4, 5}};               // 4 is a longer tail of 3 that weighs nothing
  if (type == "spatter") return {{1, 2, 3}, {4, 5}};   // water, then mud
  if (type == "saturate") return {{1, 2}, {3, 4, 5}};  // paler, then more vivid
  if (type == "elastic_transform") return {};          // has a test of its own
  return {{1, 2, 3, 4, 5}};
}

TEST(CifarC, GrowsWithSeverity) {
  const Samples clean = scenes(60);
  for (const std::string& type : kTypes) {
    std::vector<double> found = {0};
    for (int severity = 1; severity <= 5; ++severity) {
      found.push_back(unlike(clean, corrupted(clean, type, severity)));
      EXPECT_GT(found.back(), 0) << type;
    }
    for (const std::vector<int>& severities : ordered_severities(type)) {
      for (std::size_t k = 1; k < severities.size(); ++k) {
        EXPECT_GT(found[static_cast<std::size_t>(severities[k])],
                  1.02 * found[static_cast<std::size_t>(severities[k - 1])])
            << type << " " << severities[k];
      }
    }
  }
}

// The image as a whole moves less and less; what grows is how much it bends. On a ramp a value tells the
// column that it came from, and second differences tell the bend.
TEST(CifarC, ElasticTransformBendsMoreAndMovesLess) {
  Samples ramps = scenes(40, 32, 1);
  for (std::size_t i = 0; i < 40 * 1024; ++i)
    std::get<std::vector<std::uint8_t>>(ramps.features)[i] = static_cast<std::uint8_t>(8 * (i % 32));
  ramps.features =
      std::vector<double>(std::get<0>(ramps.features).begin(), std::get<0>(ramps.features).end());
  ramps.scale = 1;
  for (double& value : std::get<std::vector<double>>(ramps.features)) value /= 255;
  double bend = -1, moved_before = 1e9;
  for (int severity = 1; severity <= 5; ++severity) {
    const std::vector<double> values = values_of(corrupted(ramps, "elastic_transform", severity));
    double bent = 0, moved = 0;
    for (std::size_t image = 0; image < 40; ++image) {
      double mean = 0;
      for (std::size_t row = 10; row < 22; ++row) {
        for (std::size_t column = 10; column < 22; ++column) {
          const double* here = &values[(image * 32 + row) * 32 + column];
          bent += std::abs(here[-1] - 2 * here[0] + here[1]);
          mean += (here[0] * 255 / 8 - static_cast<double>(column)) / 144;
        }
      }
      moved += std::abs(mean);
    }
    EXPECT_GT(bent, bend + (severity == 1 ? 0 : 1e-3)) << severity;
    EXPECT_LT(moved, moved_before) << severity;
    bend = bent;
    moved_before = moved;
  }
}

TEST(CifarC, KeepsTheRangeOnImagesOfAnySizeAndKind) {
  std::vector<Samples> kinds = {scenes(2), scenes(2, 32, 1), scenes(2, 48, 3), scenes(2, 5, 2),
                                scenes(2, 1, 3)};
  kinds.push_back(scenes(2));
  kinds.back().make_float();
  for (const Samples& clean : kinds) {
    for (const std::string& type : kTypes) {
      for (int severity = 1; severity <= 5; ++severity) {
        const Samples changed = corrupted(clean, type, severity);
        EXPECT_EQ(changed.shape, clean.shape);
        EXPECT_EQ(changed.features.index(), clean.features.index()) << "bytes stay bytes";
        for (double value : values_of(changed)) ASSERT_TRUE(value >= 0 && value <= 1) << type << severity;
      }
    }
  }
}

TEST(CifarC, SameStreamSameImageAndChanceWhereThereIsAny) {
  const std::set<std::string> certain = {"gaussian_blur", "defocus_blur", "zoom_blur", "brightness",
                                         "contrast",      "saturate",     "pixelate",  "jpeg_compression"};
  const Samples clean = scenes(2);
  for (const std::string& type : kTypes) {
    const Samples once = corrupted(clean, type, 3);
    EXPECT_EQ(once.features, corrupted(clean, type, 3).features) << type;
    EXPECT_EQ(once.features == corrupted(clean, type, 3, 2).features, certain.count(type) > 0) << type;
  }
}

// --- what each does, worked out by hand
// ----------------------------------------------------------------------

Samples grey_numbers(std::size_t height, std::size_t columns, std::vector<double> values,
                     std::size_t channels = 1) {
  Samples samples;
  samples.shape = {.width = height * columns * channels,
                   .classes = 2,
                   .height = height,
                   .columns = columns,
                   .channels = channels};
  samples.targets.assign(values.size() / samples.shape.width, 0.0);
  samples.features = std::move(values);
  return samples;
}

struct Spread {
  double mean = 0, deviation = 0;
};
Spread spread(const std::vector<double>& values) {
  Spread found;
  for (double value : values) found.mean += value / static_cast<double>(values.size());
  for (double value : values) found.deviation += (value - found.mean) * (value - found.mean);
  found.deviation = std::sqrt(found.deviation / static_cast<double>(values.size()));
  return found;
}

TEST(CifarC, NoiseHasItsMoments) {
  const auto of = [](const std::string& type, int severity, double value) {
    return spread(
        values_of(corrupted(grey_numbers(100, 200, std::vector<double>(20000, value)), type, severity)));
  };
  EXPECT_NEAR(of("gaussian_noise", 3, 0.5).deviation, 0.08, 0.002);
  EXPECT_NEAR(of("speckle_noise", 3, 0.5).deviation, 0.06, 0.002);
  for (const double value : {0.004, 0.1, 0.6}) {  // Poisson counts of 60 photons: the variance is the mean
    const Spread shot = of("shot_noise", 3, value);
    EXPECT_NEAR(shot.mean, value, 4 * std::sqrt(value / 100 / 20000));
    EXPECT_NEAR(shot.deviation, std::sqrt(value / 100), 0.02 * std::sqrt(value / 100));
  }
  EXPECT_EQ(of("shot_noise", 1, 0).deviation, 0);
  const std::vector<double> pepper =
      values_of(corrupted(grey_numbers(100, 200, std::vector<double>(20000, 0.5)), "impulse_noise", 5));
  EXPECT_NEAR(static_cast<double>(std::count(pepper.begin(), pepper.end(), 0.0)) / 20000, 0.035, 0.005);
  EXPECT_NEAR(static_cast<double>(std::count(pepper.begin(), pepper.end(), 1.0)) / 20000, 0.035, 0.005);
}

TEST(CifarC, BrightnessAndSaturateKeepTheHue) {
  const Samples colour = grey_numbers(1, 1, {0.4, 0.2, 0.3}, 3);  // V = .4, S = .5
  const auto near = [](const std::vector<double>& found, const std::vector<double>& wanted) {
    for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(found[i], wanted[i], 1e-12) << i;
  };
  near(values_of(corrupted(colour, "brightness", 4)), {0.6, 0.3, 0.45});
  near(values_of(corrupted(colour, "saturate", 1)), {0.4, 0.34, 0.37});  // S = .15
  near(values_of(corrupted(colour, "saturate", 4)), {0.4, 0, 0.2});      // S = 1.1, cut to 1
  near(values_of(corrupted(grey_numbers(1, 1, {0.5, 0.5, 0.5}, 3), "saturate", 5)), {0.5, 0.4, 0.4});
  near(values_of(corrupted(grey_numbers(1, 1, {0, 0, 0}, 3), "brightness", 1)), {0.05, 0.05, 0.05});
}

TEST(CifarC, ContrastDrawsEachChannelToItsMean) {
  const std::vector<double> found =
      values_of(corrupted(grey_numbers(1, 2, {0, 1, 0.2, 0.4}, 2), "contrast", 2));
  const double wanted[] = {0.25, 0.75, 0.25, 0.35};
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(found[static_cast<std::size_t>(i)], wanted[i], 1e-12);
}

// 4 pixels become floor(.75 x 4) = 3 large ones, of 4/3 pixels: centres .5 | 1.5, 2.5 | 3.5.
TEST(CifarC, PixelateTakesMeansOfTheCentresThatItCovers) {
  const std::vector<double> found =
      values_of(corrupted(grey_numbers(1, 4, {0.1, 0.2, 0.4, 0.7}), "pixelate", 4));
  const double wanted[] = {0.1, 0.3, 0.3, 0.7};
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(found[static_cast<std::size_t>(i)], wanted[i], 1e-12);
}

std::vector<double> point_through(const std::string& type, int severity) {
  std::vector<double> point(17 * 17, 0.0);
  point[8 * 17 + 8] = 1;
  return values_of(corrupted(grey_numbers(17, 17, point), type, severity));
}
TEST(CifarC, BlursSpreadAPoint) {
  EXPECT_NEAR(point_through("gaussian_blur", 5)[8 * 17 + 8], 0.1591559, 1e-6);  // deviation 1
  const std::vector<double> plus = point_through("defocus_blur", 4);            // radius 1: five pixels
  for (std::size_t p : {8 * 17 + 8, 8 * 17 + 7, 7 * 17 + 8}) EXPECT_NEAR(plus[p], 0.2, 1e-5);
  EXPECT_NEAR(plus[7 * 17 + 7], 0, 1e-5);
  EXPECT_NEAR(point_through("defocus_blur", 5)[7 * 17 + 7], 1.0 / 9, 1e-6);  // radius 1.5: with the corners
  // One pixel, softened: 1 / (1 + 2 e^(-1 / (2 x .16)))^2.
  EXPECT_NEAR(point_through("defocus_blur", 1)[8 * 17 + 8], std::pow(1 + 2 * std::exp(-3.125), -2), 1e-12);
}

TEST(CifarC, SmearsFromAPixelOn) {
  std::vector<double> line(9, 0.0);
  line[4] = 1;
  cifar_c::smear(line, {1, 9}, 1, 1, 0);  // each becomes a mean of itself and two to the right
  const double sum = 1 + std::exp(-0.5) + std::exp(-2);
  const double wanted[] = {0, 0, std::exp(-2) / sum, std::exp(-0.5) / sum, 1 / sum, 0, 0, 0, 0};
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(line[i], wanted[i], 1e-12) << i;
  std::vector<double> column(9, 0.0);
  column[4] = 1;
  cifar_c::smear(column, {9, 1}, 1, 1, -90);  // upwards
  EXPECT_NEAR(column[5], std::exp(-0.5) / sum, 1e-12);
}

// The middle two of four pixels, enlarged by 2: places 0, 1/3, 2/3, 1 between them.
TEST(CifarC, ZoomsIntoTheMiddle) {
  std::vector<double> line = {9, 3, 6, 9};
  cifar_c::zoom(line, {1, 4}, 2);
  const double wanted[] = {3, 4, 5, 6};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(line[i], wanted[i], 1e-12) << i;
}

TEST(CifarC, MirrorsBeyondEdges) {
  using cifar_c::Mirror;
  const std::size_t without[] = {1, 2, 1, 0, 1, 2, 1, 0}, with[] = {2, 1, 0, 0, 1, 2, 2, 1};
  for (std::ptrdiff_t place = -3; place < 5; ++place) {
    EXPECT_EQ(cifar_c::mirrored(place, 3, Mirror::without_edge), without[place + 3]) << place;
    EXPECT_EQ(cifar_c::mirrored(place, 3, Mirror::with_edge), with[place + 3]) << place;
  }
  EXPECT_EQ(cifar_c::mirrored(-7, 1, Mirror::without_edge), 0u);
}

TEST(CifarC, CloudsRunFromBlackToWhiteAndGrowRougher) {
  double before = 0;
  for (const double decay : {3.0, 2.5, 2.0, 1.75}) {
    double steps = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Stream stream(seed, {.purpose = Purpose::shift});
      const std::vector<double> cloud = cifar_c::clouds({32, 32}, decay, stream);
      const auto [low, high] = std::minmax_element(cloud.begin(), cloud.end());
      EXPECT_EQ(*low, 0);
      EXPECT_EQ(*high, 1);
      for (std::size_t p = 1; p < cloud.size(); ++p)
        steps += p % 32 == 0 ? 0 : std::abs(cloud[p] - cloud[p - 1]);
    }
    EXPECT_GT(steps, before) << decay;
    before = steps;
  }
}

TEST(CifarC, JpegIsAWayThroughAFile) {
  const Samples clean = scenes(1);
  const auto& bytes = std::get<std::vector<std::uint8_t>>(clean.features);
  Picture picture{32, 32, 3, std::vector<std::uint8_t>(3072)};
  for (std::size_t p = 0; p < 1024; ++p) {
    for (std::size_t c = 0; c < 3; ++c) picture.pixels[p * 3 + c] = bytes[c * 1024 + p];
  }
  const Picture back = decode_picture(encode_jpeg(picture, 58), "test");
  const Samples found = corrupted(clean, "jpeg_compression", 3);
  for (std::size_t p = 0; p < 1024; ++p) {
    for (std::size_t c = 0; c < 3; ++c)
      ASSERT_EQ(std::get<std::vector<std::uint8_t>>(found.features)[c * 1024 + p], back.pixels[p * 3 + c]);
  }
}

TEST(CifarC, KnowsBlackAndWhiteOfScaledBytes) {
  Samples image = scenes(1, 4, 1);
  image.scale = 2.0 / 255;  // black is -1, white 1
  image.offset = -1;
  std::get<std::vector<std::uint8_t>>(image.features).assign(16, 0);
  const Samples lighter = corrupted(image, "brightness", 2);
  EXPECT_EQ(std::get<std::vector<std::uint8_t>>(lighter.features)[0], 26);  // .1 of 255, rounded
  Samples digit = scenes(1, 4, 1);
  digit.scale = 1.0 / 16;  // white is byte 16
  std::get<std::vector<std::uint8_t>>(digit.features).assign(16, 4);
  EXPECT_NEAR(values_of(corrupted(digit, "brightness", 2))[0], 0.35, 1e-6);
  EXPECT_THROW(corrupted(grey_numbers(1, 2, {0.5, 2.5}), "fog", 1), Error);
}

TEST(CifarC, FewClientsMeetEveryTypeAndEverySeverity) {
  const auto shift = make_plugin<Shift>("cifar-c");
  ASSERT_EQ(shift->variants(), 100u);
  std::set<std::string> all;
  std::set<std::string> types;
  std::map<char, int> severities;
  for (std::size_t v = 0; v < 100; ++v) {
    const std::string name = shift->variant_name(v);
    all.insert(name);
    if (v >= 20) continue;
    types.insert(name.substr(0, name.find(' ')));
    if (name != "original") ++severities[name.back()];
  }
  EXPECT_EQ(all.size(), 96u) << "19 x 5, and original";
  EXPECT_EQ(types.size(), 20u);
  for (char severity = '1'; severity <= '5'; ++severity) EXPECT_GE(severities[severity], 3);
}

TEST(CifarC, OriginalIsOneVariantAndLeavesBytesAlone) {
  const auto shift =
      make_plugin<Shift>("cifar-c", "types = [\"fog\", \"original\", \"saturate\"]\nseverities = [2, 4]");
  Samples image = scenes(1);
  const auto before = image.features;
  Stream stream(1, {.purpose = Purpose::shift});
  shift->apply(1, image, stream);
  EXPECT_EQ(image.features, before);
  std::vector<std::string> names;
  std::vector<std::size_t> colour, grey;
  for (std::size_t v = 0; v < 6; ++v) {
    names.push_back(shift->variant_name(v));
    colour.push_back(shift->canonical(v, scenes(1).shape));
    grey.push_back(shift->canonical(v, scenes(1, 4, 1).shape));
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"fog 2", "original", "saturate 2", "fog 4", "original", "saturate 4"}));
  EXPECT_EQ(colour, (std::vector<std::size_t>{0, 1, 2, 3, 1, 5}));
  EXPECT_EQ(grey, (std::vector<std::size_t>{0, 1, 1, 3, 1, 1})) << "grey has no saturation";
  EXPECT_FALSE(shift->is_truth_by_default());
}

TEST(CifarC, RefusesUnknownTypesAndSeverities) {
  EXPECT_THROW(make_plugin<Shift>("cifar-c", "types = [\"rain\"]"), BadConfig);
  EXPECT_THROW(make_plugin<Shift>("cifar-c", "types = []"), BadConfig);
  EXPECT_THROW(make_plugin<Shift>("cifar-c", "severities = [0]"), BadConfig);
  EXPECT_THROW(make_plugin<Shift>("cifar-c", "severities = []"), BadConfig);
  EXPECT_THROW(make_plugin<Shift>("cifar-c")->check_shape({.width = 4, .classes = 2}), Error);
}

}  // namespace
}  // namespace coterie::cifar_c_test
