// Weather, and what it leaves on a lens.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "shifts/cifar-c/photo.h"

namespace coterie::cifar_c {
namespace {

// Crystals on a cold window, channel by channel: veins of ridged clouds, and feathers, which are needles with
// side needles at 60 degrees that grow shorter towards the tip.
std::vector<double> crystals(const Photo& photo, Stream& stream) {
  const PlaneSize& size = photo.size;
  std::vector<double> white = clouds(size, 1.8, stream);
  for (double& value : white) {
    const double ridge = 1 - std::abs(2 * value - 1);
    value = 0.25 + 0.55 * ridge * ridge;
  }
  const double side = static_cast<double>(std::min(size.height, size.columns));
  const auto needle = [&](double row, double column, double angle, double length) {
    for (double way = 0; way < length; way += 0.5) {
      const double r = row - way * std::sin(angle), c = column + way * std::cos(angle);
      if (r < 0 || c < 0 || r >= static_cast<double>(size.height) || c >= static_cast<double>(size.columns))
        return;
      double& value = white[static_cast<std::size_t>(r) * size.columns + static_cast<std::size_t>(c)];
      value = std::max(value, 1 - 0.35 * way / length);
    }
  };
  const auto feathers = static_cast<int>(std::lround(3 + side / 16));
  for (int k = 0; k < feathers; ++k) {
    const double row = stream.uniform(0, static_cast<double>(size.height));
    const double column = stream.uniform(0, static_cast<double>(size.columns));
    const double angle = stream.uniform(0, 2 * std::numbers::pi), length = stream.uniform(0.3, 0.8) * side;
    needle(row, column, angle, length);
    for (double way = 1; way < length; way += 3) {
      for (const double turn : {std::numbers::pi / 3, -std::numbers::pi / 3})
        needle(row - way * std::sin(angle), column + way * std::cos(angle), angle + turn, (length - way) / 3);
    }
  }
  constexpr std::array<double, 3> kIce = {0.82, 0.92, 1};
  std::vector<double> all;
  for (std::size_t c = 0; c < photo.channels; ++c) {
    for (double value : white) all.push_back(value * photo.of_colour(kIce, c));
  }
  return all;
}

// The byte of a value from 0 to 255.
std::uint8_t whole(double value) { return static_cast<std::uint8_t>(std::clamp(value, 0.0, 255.0)); }

// The distance of every pixel to the nearest marked one, at most 20, by steps of 1 (to the side), 1.4
// (across) and 2.1969 (as a knight goes); by two passes.
std::vector<double> distances(const std::vector<bool>& marked, const PlaneSize& size) {
  constexpr double kFar = 20;
  struct Step {
    std::ptrdiff_t down, right;
    double length;
  };
  constexpr Step kBefore[] = {{0, -1, 1},       {-1, 0, 1},      {-1, -1, 1.4},    {-1, 1, 1.4},
                              {-1, -2, 2.1969}, {-1, 2, 2.1969}, {-2, -1, 2.1969}, {-2, 1, 2.1969}};
  std::vector<double> distance;
  for (bool one : marked) distance.push_back(one ? 0 : kFar);
  const auto height = static_cast<std::ptrdiff_t>(size.height),
             columns = static_cast<std::ptrdiff_t>(size.columns);
  for (const std::ptrdiff_t sign : {1, -1}) {
    for (std::ptrdiff_t k = 0; k < height * columns; ++k) {
      const std::ptrdiff_t p = sign > 0 ? k : height * columns - 1 - k;
      for (const Step& step : kBefore) {
        const std::ptrdiff_t row = p / columns + sign * step.down, column = p % columns + sign * step.right;
        if (row < 0 || column < 0 || row >= height || column >= columns) continue;
        double& own = distance[static_cast<std::size_t>(p)];
        own = std::min(own, distance[static_cast<std::size_t>(row * columns + column)] + step.length);
      }
    }
  }
  return distance;
}

// Bytes spread so that each is as frequent as any other.
void equalise(Plane plane) {
  std::array<double, 256> count{};
  for (double value : plane) ++count[whole(value)];
  std::size_t first = 0;
  while (count[first] == 0) ++first;
  const double others = static_cast<double>(plane.size()) - count[first];
  if (others == 0) return;
  std::array<double, 256> place{};
  double sum = 0;
  for (std::size_t byte = first + 1; byte < count.size(); ++byte) {
    sum += count[byte];
    place[byte] = std::round(255 * sum / others);
  }
  for (double& value : plane) value = place[whole(value)];
}

// How thick water is, from 0 to 1: drops that are lit from the upper left.
void light_drops(Plane liquid, const PlaneSize& size) {
  std::vector<bool> outline(liquid.size());
  for (std::size_t p = 0; p < liquid.size(); ++p) {
    const std::size_t row = p / size.columns, column = p % size.columns;
    const auto dry = [&](bool there, std::size_t other) { return there && liquid[other] == 0; };
    outline[p] =
        liquid[p] > 0 && (dry(row > 0, p - size.columns) || dry(row + 1 < size.height, p + size.columns) ||
                          dry(column > 0, p - 1) || dry(column + 1 < size.columns, p + 1));
  }
  std::vector<double> depth = distances(outline, size);
  std::vector<Tap> mean, light;
  constexpr double kLight[3][3] = {{-2, -1, 0}, {-1, 1, 1}, {0, 1, 2}};
  for (int down = -1; down <= 1; ++down) {
    for (int right = -1; right <= 1; ++right) {
      mean.push_back({down, right, 1.0 / 9});
      light.push_back({down, right, kLight[down + 1][right + 1]});
    }
  }
  filter(depth, size, mean);
  for (double& value : depth) value = std::round(value);
  equalise(depth);
  filter(depth, size, light);
  for (double& value : depth) value = std::clamp(value, 0.0, 255.0);
  filter(depth, size, mean);
  double most = 0;
  for (std::size_t p = 0; p < liquid.size(); ++p) most = std::max(most, liquid[p] *= depth[p]);
  if (most <= 0) return;
  for (double& value : liquid) value /= most;
}

}  // namespace

// Flakes are what exceeds a threshold in noise, enlarged and smeared downwards; the image is whitened, and
// flakes fall once as they are and once turned round.
void snow(Photo& photo, std::size_t level, Stream& stream) {
  struct Snow {
    double mean, deviation, zoom, threshold;
    int radius;
    double smear, kept;
  };
  constexpr Levels<Snow> kSnow = {{{0.1, 0.2, 1, 0.6, 8, 3, 0.95},
                                   {0.1, 0.2, 1, 0.5, 10, 4, 0.9},
                                   {0.15, 0.3, 1.75, 0.55, 10, 4, 0.9},
                                   {0.25, 0.3, 2.25, 0.6, 12, 6, 0.85},
                                   {0.3, 0.3, 1.25, 0.65, 14, 12, 0.8}}};
  const Snow& how = kSnow[level];
  std::vector<double> flakes(photo.size.pixels());
  for (double& value : flakes) value = how.mean + how.deviation * stream.normal();
  zoom(flakes, photo.size, how.zoom);
  for (double& value : flakes) value = value < how.threshold ? 0 : std::min(value, 1.0);
  smear(flakes, photo.size, how.radius, how.smear, stream.uniform(-135, -45));
  const std::vector<double> grey = photo.grey();
  for (std::size_t i = 0; i < photo.values.size(); ++i) {
    const std::size_t p = i % photo.size.pixels();
    double& value = photo.values[i];
    value = how.kept * value + (1 - how.kept) * std::max(value, grey[p] * 1.5 + 0.5);
    value += flakes[p] + flakes[flakes.size() - 1 - p];
  }
}

// Differs from CIFAR-10-C: the crystals are drawn; there they are cut out of photographs of windows.
void frost(Photo& photo, std::size_t level, Stream& stream) {
  constexpr Levels<double> kImage = {1, 1, 0.9, 0.85, 0.75};
  constexpr Levels<double> kIce = {0.2, 0.3, 0.4, 0.4, 0.45};
  const std::vector<double> ice = crystals(photo, stream);
  for (std::size_t i = 0; i < ice.size(); ++i)
    photo.values[i] = kImage[level] * photo.values[i] + kIce[level] * ice[i];
}

void fog(Photo& photo, std::size_t level, Stream& stream) {
  constexpr Levels<double> kThickness = {0.2, 0.5, 0.75, 1, 1.5};
  constexpr Levels<double> kDecay = {3, 3, 2.5, 2, 1.75};
  const std::vector<double> cloud = clouds(photo.size, kDecay[level], stream);
  const double most = *std::max_element(photo.values.begin(), photo.values.end());
  for (std::size_t i = 0; i < photo.values.size(); ++i) {
    const double thick = photo.values[i] + kThickness[level] * cloud[i % cloud.size()];
    photo.values[i] = thick * most / (most + kThickness[level]);
  }
}

// Water (up to severity 3) or mud, where smoothed noise exceeds a threshold.
//
// Differs from CIFAR-10-C: the outline of drops is where they border on what is dry, not what Canny's
// detector finds.
void spatter(Photo& photo, std::size_t level, Stream& stream) {
  struct Spatter {
    double mean, deviation, smoothing, threshold, strength;
  };
  constexpr Levels<Spatter> kSpatter = {{{0.62, 0.1, 0.7, 0.7, 0.5},
                                         {0.65, 0.1, 0.8, 0.7, 0.5},
                                         {0.65, 0.3, 1, 0.69, 0.5},
                                         {0.65, 0.1, 0.7, 0.69, 0.6},
                                         {0.65, 0.1, 0.5, 0.68, 0.6}}};
  constexpr std::array<double, 3> kWater = {175 / 255.0, 238 / 255.0, 238 / 255.0};
  constexpr std::array<double, 3> kMud = {63 / 255.0, 42 / 255.0, 20 / 255.0};
  const Spatter& how = kSpatter[level];
  const bool mud = level >= 3;
  std::vector<double> liquid(photo.size.pixels());
  for (double& value : liquid) value = how.mean + how.deviation * stream.normal();
  smooth(liquid, photo.size, how.smoothing);
  for (double& value : liquid) value = value < how.threshold ? 0 : mud ? 1 : whole(255 * value);
  if (mud) {
    smooth(liquid, photo.size, how.strength);
    for (double& value : liquid) value = value < 0.8 ? 0 : value;
  } else {
    light_drops(liquid, photo.size);
  }
  for (std::size_t i = 0; i < photo.values.size(); ++i) {
    const std::size_t p = i % photo.size.pixels(), channel = i / photo.size.pixels();
    if (mud) {
      photo.values[i] = photo.values[i] * (1 - liquid[p]) + photo.of_colour(kMud, channel) * liquid[p];
    } else {
      photo.values[i] += how.strength * liquid[p] * photo.of_colour(kWater, channel);
    }
  }
}

}  // namespace coterie::cifar_c
