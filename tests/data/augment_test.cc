#include "data/augment.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "data/error_text.h"
#include "support/plugins.h"

namespace coterie::augment_test {
namespace {

AugmentOptions augment(const std::string& toml) {
  AugmentOptions options;
  set_options(options, toml);
  return options;
}

// Images of two channels, 4 x 4: pixel (i, j) of channel c is 10 i + j + 1 + 100 c.
struct Images {
  Shape shape{.width = 32, .classes = 2, .height = 4, .columns = 4, .channels = 2};
  std::vector<double> x;
  std::vector<double> y;
  explicit Images(std::size_t rows = 1) {
    for (std::size_t n = 0; n < rows; ++n) {
      for (int p = 0; p < 32; ++p) x.push_back(10 * (p % 16 / 4) + p % 4 + 1 + 100 * (p / 16));
      y.push_back(0);
    }
  }
  Batch<double> batch() const { return {y.size(), 32, x, y, {}}; }
  std::vector<double> judged(const AugmentOptions& options) const {
    const AugmentedRows<double> rows(options, shape, batch(), nullptr);
    return {rows.batch().x.begin(), rows.batch().x.end()};
  }
  std::vector<double> trained(const AugmentOptions& options, std::uint64_t seed = 1) const {
    Stream stream(seed, {.purpose = Purpose::work});
    const AugmentedRows<double> rows(options, shape, batch(), &stream);
    return {rows.batch().x.begin(), rows.batch().x.end()};
  }
};

TEST(Augment, JudgesOnTheMiddle) {
  const Images images;
  EXPECT_EQ(images.judged(augment("crop = 2\nflip = true\npad = 3")),
            (std::vector<double>{12, 13, 22, 23, 112, 113, 122, 123}));
  EXPECT_EQ(images.judged(augment("flip = true")), images.x);
  EXPECT_EQ(augment("crop = 2").seen(images.shape).width, 8u);
}

TEST(Augment, TrainsOnEveryWindow) {
  const Images images;
  std::set<double> corners;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const std::vector<double> window = images.trained(augment("crop = 2"), seed);
    EXPECT_EQ(window[3], window[0] + 11);
    EXPECT_EQ(window[4], window[0] + 100) << "the same window in each channel";
    corners.insert(window[0]);
  }
  EXPECT_EQ(corners, (std::set<double>{1, 2, 3, 11, 12, 13, 21, 22, 23}));
}

TEST(Augment, FlipsEverySecondImage) {
  const Images images(400);
  const std::vector<double> seen = images.trained(augment("flip = true"));
  int flipped = 0;
  for (std::size_t i = 0; i < 400; ++i) {
    EXPECT_TRUE(seen[i * 32] == 1 || seen[i * 32] == 4);
    EXPECT_EQ(seen[i * 32] + seen[i * 32 + 3], 5);
    flipped += seen[i * 32] == 4;
  }
  EXPECT_NEAR(flipped, 200, 40);
}

TEST(Augment, PadsWithZerosInTraining) {
  const Images images;
  std::set<std::size_t> zeros;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const std::vector<double> seen = images.trained(augment("pad = 1"), seed);
    EXPECT_EQ(seen.size(), 32u);
    zeros.insert(static_cast<std::size_t>(std::count(seen.begin(), seen.end(), 0.0)));
  }
  EXPECT_EQ(zeros, (std::set<std::size_t>{0, 8, 14})) << "nothing, a side, a corner";
  EXPECT_EQ(images.judged(augment("pad = 1")), images.x);
}

TEST(Augment, OneWindowForAStepIfAsked) {
  const Images images(50);
  const auto corners = [&](const std::string& toml) {
    const std::vector<double> seen = images.trained(augment("crop = 2\n" + toml));
    std::set<double> found;
    for (std::size_t i = 0; i < 50; ++i) found.insert(seen[i * 8]);
    return found.size();
  };
  EXPECT_EQ(corners("crop_by = \"batch\""), 1u);
  EXPECT_EQ(corners(""), 9u);
}

TEST(Augment, Normalises) {
  const Images images;
  const std::vector<double> channels =
      images.judged(augment("crop = 2\nnormalise = \"channels\"\nmean = [12, 112]\ndeviation = [2, 10]"));
  EXPECT_EQ(channels, (std::vector<double>{0, 0.5, 5, 5.5, 0, 0.1, 1, 1.1}));
  const std::vector<double> each = images.judged(augment("normalise = \"image\""));
  double sum = 0, squares = 0;
  for (double value : each) {
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum, 0, 1e-10);
  EXPECT_NEAR(squares, 32, 1e-10);
  Images flat;
  flat.x.assign(32, 0.3);
  for (double value : flat.judged(augment("normalise = \"image\"")))
    EXPECT_NEAR(value, 0, 1e-12) << "no 0 / 0";
}

TEST(Augment, SameStreamSameRows) {
  const Images images(9);
  const AugmentOptions options = augment("crop = 3\nflip = true\npad = 2");
  EXPECT_EQ(images.trained(options, 5), images.trained(options, 5));
  EXPECT_NE(images.trained(options, 5), images.trained(options, 6));
}

TEST(Augment, RefusesWhatCannotBe) {
  EXPECT_FALSE(augment("").any());
  EXPECT_TRUE(augment("flip = true").any());
  EXPECT_THROW(augment("normalise = \"channels\""), BadConfig);
  EXPECT_THROW(augment("normalise = \"channels\"\nmean = [1, 2]\ndeviation = [1]"), BadConfig);
  EXPECT_THROW(augment("mean = [1]\ndeviation = [1]"), BadConfig);
  const auto refusal = [](const std::string& toml, const Shape& shape) {
    return error_text<Error>([&] { augment(toml).seen(shape); });
  };
  EXPECT_NE(refusal("flip = true", {.width = 4}).find("[augment] works on images"), std::string::npos);
  EXPECT_NE(refusal("crop = 5", Images().shape).find("images are 4 x 4"), std::string::npos);
  EXPECT_NE(
      refusal("normalise = \"channels\"\nmean = [1]\ndeviation = [1]", Images().shape).find("2 channels"),
      std::string::npos);
}

}  // namespace
}  // namespace coterie::augment_test
