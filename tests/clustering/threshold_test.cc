// Threshold clustering on instances worked out by hand, and on inner products against the points themselves.
#include "clustering/threshold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "coterie/error.h"
#include "coterie/random.h"
#include "support/plugins.h"

namespace coterie::threshold_test {
namespace {

using Inside = std::vector<std::uint8_t>;

ThresholdOptions fixed(double radius, std::int64_t steps) {
  ThresholdOptions options;
  options.rule = "fixed";
  options.radius = radius;
  options.steps = steps;
  return options;
}

ThresholdOptions percentile(double quantile, double factor, bool strict, std::int64_t steps) {
  ThresholdOptions options;
  options.quantile = quantile;
  options.factor = factor;
  options.strict = strict;
  options.steps = steps;
  return options;
}

// On a line, by coordinates and by inner products.
ThresholdCentre on_a_line(const Vec& line, std::size_t start, const ThresholdOptions& options,
                          const Vec& weights = {}) {
  const std::size_t n = line.size();
  ThresholdCentre found = threshold_centre({line, n, 1}, weights, {line[start]}, options);
  Vec gram(n * n), unit(n, 0.0);
  for (std::size_t i = 0; i < n * n; ++i) gram[i] = line[i / n] * line[i % n];
  unit[start] = 1;
  const ThresholdCentre same =
      threshold_coefficients(Matrix<const double>(gram.data(), n, n), weights, unit, options);
  double centre = 0;
  for (std::size_t i = 0; i < n; ++i) centre += same.centre[i] * line[i];
  EXPECT_NEAR(centre, found.centre[0], 1e-9);
  EXPECT_EQ(same.inside, found.inside);
  EXPECT_EQ(same.settled, found.settled);
  EXPECT_NEAR(same.radius, found.radius, 1e-9);
  return found;
}

// Ten points on a line from 0, beginning at the first.
TEST(Threshold, ItsFirstBallHoldsAsManyAsItsOptionsSay) {
  const Vec line = {0, 1, 3, 6, 10, 15, 21, 28, 36, 45};
  for (const double quantile : {0.1, 0.19, 0.2, 0.35, 1.0}) {
    for (const double factor : {0.99, 1.0, 1.01}) {
      for (const bool strict : {false, true}) {
        const ThresholdOptions options = percentile(quantile, factor, strict, 1);
        const ThresholdCentre found = threshold_centre({line, 10, 1}, {}, {0.0}, options);
        EXPECT_EQ(options.held_at_first(10),
                  static_cast<std::size_t>(std::count(found.inside.begin(), found.inside.end(), 1)))
            << quantile << " " << factor << " " << strict;
      }
    }
  }
  EXPECT_EQ(fixed(2, 1).held_at_first(10), std::nullopt);
  EXPECT_EQ(percentile(0.19, 1, false, 1).held_at_first(10), 2u) << "ranks 0 and 1: 1.9 is rounded down";
}

// Of four points two are far: update (4) goes a quarter of the way for each in the ball, and of ranks 0 to 3
// the last two are infinite.
TEST(Threshold, FarPointsCountButAreOutside) {
  const Vec line = {0, 1}, weights = {1, 1}, gram = {0, 0, 0, 1};
  const FarPoints far{2, 2};
  auto centre = [&](const ThresholdOptions& options) {
    const ThresholdCentre found = threshold_centre({line, 2, 1}, weights, {0.0}, options, far);
    const ThresholdCentre same =
        threshold_coefficients(Matrix<const double>(gram.data(), 2, 2), weights, {1, 0}, options, far);
    EXPECT_NEAR(same.centre[1], found.centre[0], 1e-12);
    EXPECT_EQ(same.inside, found.inside);
    return found;
  };
  EXPECT_EQ(centre(fixed(2, 1)).centre[0], 0.25);
  EXPECT_EQ(centre(fixed(2, 0)).centre[0], 0.5) << "the mean of the ball";
  EXPECT_EQ(centre(percentile(0.25, 0.99, false, 1)).inside, (Inside{1, 0})) << "rank 1, less a hair";
  EXPECT_EQ(centre(percentile(0.5, 0.99, false, 1)).inside, (Inside{1, 1})) << "rank 2 is infinite";
  const ThresholdCentre settled = centre(percentile(0.5, 0.99, true, 0));
  EXPECT_EQ(settled.centre[0], 0.5);
  EXPECT_TRUE(settled.settled);
}

// Those outside count as the centre: (0 + 1 + 0) / 3, then (0 + 1 + 1/3) / 3.
TEST(Threshold, FollowsUpdateFour) {
  const Vec line = {0, 1, 10};
  EXPECT_NEAR(on_a_line(line, 0, fixed(2, 1)).centre[0], 1.0 / 3, 1e-15);
  const ThresholdCentre two = on_a_line(line, 0, fixed(2, 2));
  EXPECT_NEAR(two.centre[0], 4.0 / 9, 1e-15);
  EXPECT_EQ(two.inside, (Inside{1, 1, 0}));
  EXPECT_EQ(two.radius, 2);
  EXPECT_EQ(two.steps, 2u);
  EXPECT_EQ(on_a_line(line, 2, fixed(2, 5)).centre[0], 10);
  EXPECT_NEAR(on_a_line(line, 0, fixed(100, 1)).centre[0], 11.0 / 3, 1e-14);
}

TEST(Threshold, SettlesAtTheMeanOfItsBall) {
  const ThresholdCentre found = on_a_line({0, 1, 10}, 0, fixed(2, 0));
  EXPECT_TRUE(found.settled);
  EXPECT_NEAR(found.centre[0], 0.5, 1e-15);
  const Vec plane = {0, 0, 3, 0, 0, 3, 20, 20, 23, 20, 20, 23};
  const ThresholdCentre low = threshold_centre({plane, 6, 2}, {}, {0, 0}, fixed(5, 0));
  EXPECT_NEAR(low.centre[0], 1, 1e-15);
  EXPECT_NEAR(low.centre[1], 1, 1e-15);
  EXPECT_EQ(low.inside, (Inside{1, 1, 1, 0, 0, 0}));
  EXPECT_NEAR(threshold_centre({plane, 6, 2}, {}, {0, 0}, fixed(5, 1)).centre[1], 0.5, 1e-15);
}

// The ball of 0 holds 2; its centre goes to 1/2, 3/4, 7/8, 15/16, and there the ball takes in 2.9.
TEST(Threshold, APointMayEnterOnTheWay) {
  const Vec line = {0, 2, 2.9, 50};
  EXPECT_EQ(on_a_line(line, 0, fixed(2, 4)).centre[0], 0.9375);
  EXPECT_NEAR(on_a_line(line, 0, fixed(2, 5)).centre[0], (0 + 2 + 2.9 + 0.9375) / 4, 1e-15);
  EXPECT_NEAR(on_a_line(line, 0, fixed(2, 0)).centre[0], 4.9 / 3, 1e-15);
}

TEST(Threshold, StaysWhereNobodyIsNear) {
  const Vec line = {0, 10};
  const ThresholdCentre found = threshold_centre({line, 2, 1}, {}, {5}, fixed(1, 0));
  EXPECT_EQ(found.centre, (Vec{5}));
  EXPECT_TRUE(found.settled);
  EXPECT_EQ(found.inside, (Inside{0, 0}));
}

TEST(Threshold, WeightsReplaceOneOverN) {
  EXPECT_EQ(on_a_line({0, 1, 10}, 0, fixed(2, 1), {1, 3, 4}).centre[0], 3.0 / 8);
  EXPECT_NEAR(on_a_line({0, 1, 10}, 0, fixed(2, 0), {1, 3, 4}).centre[0], 0.75, 1e-15);
}

// Distances from 0 are 0, 1, 2, 4, 100; rank floor(0.4 * 5) = 2 is that of 2, so 1.98 leaves it out.
TEST(Threshold, PercentilesCountFromTheOwnDistance) {
  const Vec line = {0, 1, 2, 4, 100};
  const ThresholdCentre one = on_a_line(line, 0, percentile(0.4, 0.99, false, 1));
  EXPECT_NEAR(one.radius, 1.98, 1e-15);
  EXPECT_NEAR(one.centre[0], 0.2, 1e-15);
  EXPECT_NEAR(on_a_line(line, 0, percentile(0.4, 1, false, 1)).centre[0], 0.6, 1e-15);
  EXPECT_NEAR(on_a_line(line, 0, percentile(0.4, 1, true, 1)).centre[0], 0.2, 1e-15);
  // From 0.2 the third distance is 1.8: again 0 and 1 are inside.
  const ThresholdCentre two = on_a_line(line, 0, percentile(0.4, 0.99, false, 2));
  EXPECT_NEAR(two.radius, 0.99 * 1.8, 1e-14);
  EXPECT_NEAR(two.centre[0], (0 + 1 + 3 * 0.2) / 5, 1e-15);
  EXPECT_EQ(on_a_line(line, 3, percentile(0.19, 0.99, false, 3)).centre[0], 4) << "rank 0 is its own";
  EXPECT_NEAR(on_a_line(line, 0, percentile(1, 1, false, 1)).centre[0], 107.0 / 5, 1e-13) << "the last rank";
}

// tau = sqrt(0.5 * 1 * 8) = 2, l = ceil(log 8 / log(4/3)) = ceil(7.23). Half of the points are in the ball,
// so that the way to 0.5 halves eight times.
TEST(Threshold, TakesRadiusAndStepsOfTheoremOne) {
  EXPECT_EQ(theory_radius(1, 8, 0.5), 2);
  EXPECT_EQ(theory_steps(1, 8, 0.5), 8u);
  EXPECT_EQ(theory_steps(1, 1.5, 1), 1u);
  ThresholdOptions options;
  options.rule = "theory";
  options.sigma = 1;
  options.separation = 8;
  options.share = 0.5;
  const ThresholdCentre found = on_a_line({0, 1, 10, 11}, 0, options);
  EXPECT_EQ(found.steps, 8u);
  EXPECT_EQ(found.radius, 2);
  EXPECT_EQ(found.centre[0], 0.5 * (1 - 1.0 / 256));
}

// The worst a liar can do is to stand at the edge: it moves the centre by its share of the radius.
TEST(Threshold, ALiarMovesItByItsShareOfTheRadius) {
  Vec line(9, 0.0);
  line.push_back(2);
  EXPECT_EQ(on_a_line(line, 0, fixed(2, 1)).centre[0], 0.2);
  line.back() = 2.0000001;
  EXPECT_EQ(on_a_line(line, 0, fixed(2, 1)).centre[0], 0);
}

TEST(Threshold, EqualPointsGiveThatPoint) {
  const Vec line(7, 0.1);
  for (const std::int64_t steps : {0, 1, 5}) {
    EXPECT_EQ(threshold_centre({line, 7, 1}, {}, {0.1}, percentile(0.5, 0.99, false, steps)).centre[0], 0.1);
    EXPECT_EQ(threshold_centre({line, 7, 1}, {}, {0.1}, fixed(1, steps)).centre[0], 0.1);
  }
}

// Three groups of ten in five dimensions.
TEST(Threshold, InnerProductsDecideAsPointsDo) {
  const std::size_t n = 30, width = 5;
  Stream stream(4, {Purpose::test, 0, 0, 0});
  Vec values(n * width), weights(n);
  stream.normals(values);
  for (std::size_t i = 0; i < n; ++i) {
    weights[i] = 1 + static_cast<double>(i % 4);
    values[i * width + i % 3] += 8;
  }
  Vec gram(n * n);
  const Matrix<const double> rows(values.data(), n, width);
  multiply(rows, rows.transposed(), Matrix<double>(gram.data(), n, n));
  for (const ThresholdOptions& options :
       {percentile(0.2, 0.99, false, 3), percentile(0.3, 1, true, 10), percentile(0.3, 0.99, false, 0),
        fixed(4, 0), fixed(5, 7), fixed(0.5, 0)}) {
    for (std::size_t start = 0; start < n; start += 7) {
      const auto point = values.begin() + static_cast<std::ptrdiff_t>(start * width);
      const ThresholdCentre by_points =
          threshold_centre({values, n, width}, weights, Vec(point, point + width), options);
      Vec unit(n, 0.0);
      unit[start] = 1;
      const ThresholdCentre by_gram =
          threshold_coefficients(Matrix<const double>(gram.data(), n, n), weights, unit, options);
      EXPECT_EQ(by_gram.inside, by_points.inside) << start;
      EXPECT_EQ(by_gram.steps, by_points.steps) << start;
      EXPECT_NEAR(by_gram.radius, by_points.radius, 1e-7);
      double sum = 0;
      Vec centre(width, 0.0);
      for (std::size_t i = 0; i < n; ++i) {
        sum += by_gram.centre[i];
        for (std::size_t j = 0; j < width; ++j) centre[j] += by_gram.centre[i] * values[i * width + j];
      }
      EXPECT_NEAR(sum, 1, 1e-12);
      for (std::size_t j = 0; j < width; ++j) EXPECT_NEAR(centre[j], by_points.centre[j], 1e-9);
    }
  }
}

TEST(Threshold, RefusesWhatIsNotFinite) {
  const Vec line = {0, std::nan("")};
  EXPECT_THROW(threshold_centre({line, 2, 1}, {}, {0}, fixed(1, 1)), Error);
  const Vec gram = {1, HUGE_VAL, HUGE_VAL, 1};
  EXPECT_THROW(threshold_coefficients(Matrix<const double>(gram.data(), 2, 2), {}, {1, 0}, fixed(1, 1)),
               Error);
}

TEST(Threshold, OptionsBelongToTheirRule) {
  auto read = [](const std::string& toml) {
    ThresholdOptions options;
    set_options(options, toml);
  };
  EXPECT_NO_THROW(read(""));
  EXPECT_NO_THROW(read("rule = \"fixed\"\nradius = 2.0"));
  EXPECT_NO_THROW(read("rule = \"theory\"\nsigma = 1.0\nseparation = 4.0\nshare = 0.25"));
  EXPECT_THROW(read("rule = \"fixed\""), BadConfig);
  EXPECT_THROW(read("radius = 2.0"), BadConfig);
  EXPECT_THROW(read("rule = \"theory\"\nsigma = 1.0"), BadConfig);
  EXPECT_THROW(read("rule = \"theory\"\nsigma = 4.0\nseparation = 4.0\nshare = 0.25"), BadConfig);
  EXPECT_THROW(read("quantile = 1.5"), BadConfig);
}

}  // namespace
}  // namespace coterie::threshold_test
