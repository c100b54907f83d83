// Settings of cameras, and what files and screens do.
#include <algorithm>
#include <cmath>

#include "data/formats/picture.h"
#include "shifts/cifar-c/photo.h"

namespace coterie::cifar_c {
namespace {

// The largest and the least of a pixel's channels: V of HSV is the former, S is (largest - least) / largest.
std::pair<double, double> range_of(Photo& photo, std::size_t pixel) {
  double most = photo.values[pixel], least = most;
  for (std::size_t c = 1; c < photo.channels; ++c) {
    most = std::max(most, photo.plane(c)[pixel]);
    least = std::min(least, photo.plane(c)[pixel]);
  }
  return {most, least};
}

std::uint8_t to_byte(double value) {
  return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0, 1.0) * 255));
}

}  // namespace

// V of HSV is raised; colour and saturation stay.
void brightness(Photo& photo, std::size_t level, Stream&) {
  constexpr Levels<double> kAdded = {0.05, 0.1, 0.15, 0.2, 0.3};
  for (std::size_t p = 0; p < photo.size.pixels(); ++p) {
    const double most = range_of(photo, p).first, raised = std::min(1.0, most + kAdded[level]);
    for (std::size_t c = 0; c < photo.channels; ++c) {
      double& value = photo.plane(c)[p];
      value = most > 0 ? value * (raised / most) : raised;
    }
  }
}

// Every channel is drawn to its own mean.
void contrast(Photo& photo, std::size_t level, Stream&) {
  constexpr Levels<double> kKept = {0.75, 0.5, 0.4, 0.3, 0.15};
  for (std::size_t c = 0; c < photo.channels; ++c) {
    double sum = 0;
    for (double value : photo.plane(c)) sum += value;
    const double mean = sum / static_cast<double>(photo.size.pixels());
    for (double& value : photo.plane(c)) value = (value - mean) * kKept[level] + mean;
  }
}

// S of HSV becomes factor x S + shift. Grey has no hue; like the published code, that is red (the first
// channel).
void saturate(Photo& photo, std::size_t level, Stream&) {
  constexpr Levels<double> kFactor = {0.3, 0.1, 1.5, 2, 2.5};
  constexpr Levels<double> kShift = {0, 0, 0, 0.1, 0.2};
  if (photo.channels == 1) return;
  for (std::size_t p = 0; p < photo.size.pixels(); ++p) {
    const auto [most, least] = range_of(photo, p);
    if (most <= 0) continue;
    const double before = (most - least) / most;
    const double after = std::clamp(before * kFactor[level] + kShift[level], 0.0, 1.0);
    for (std::size_t c = 0; c < photo.channels; ++c) {
      double& value = photo.plane(c)[p];
      if (before > 0) {
        value = most - (most - value) * (after / before);
      } else if (c > 0) {
        value = most * (1 - after);
      }
    }
  }
}

// Three points are moved and carry the image with them (an affine map); then every pixel comes from a place
// nearby, by smoothed noise.
void elastic_transform(Photo& photo, std::size_t level, Stream& stream) {
  // As shares of the shorter side: displacements before smoothing, their smoothing, what points are moved by.
  constexpr Levels<double> kReach = {0, 0.05, 0.08, 0.1, 0.1};
  constexpr Levels<double> kSmoothing = {0, 0.2, 0.06, 0.04, 0.03};
  constexpr Levels<double> kCarry = {0.08, 0.07, 0.06, 0.05, 0.03};
  const auto side = static_cast<double>(std::min(photo.size.height, photo.size.columns));
  const double middle_row = std::floor(static_cast<double>(photo.size.height) / 2);
  const double middle_column = std::floor(static_cast<double>(photo.size.columns) / 2);
  const double third = std::max(0.5, std::floor(side / 3));
  struct Point {
    double row, column;
  };
  const Point corners[3] = {{middle_row + third, middle_column + third},
                            {middle_row - third, middle_column + third},
                            {middle_row - third, middle_column - third}};
  Point moved[3];
  for (int k = 0; k < 3; ++k) {
    moved[k].column = corners[k].column + stream.uniform(-kCarry[level] * side, kCarry[level] * side);
    moved[k].row = corners[k].row + stream.uniform(-kCarry[level] * side, kCarry[level] * side);
  }
  // A pixel p = moved[0] + a (moved[1] - moved[0]) + b (moved[2] - moved[0]) comes from the same a, b of the
  // corners.
  const Point first{moved[1].row - moved[0].row, moved[1].column - moved[0].column};
  const Point second{moved[2].row - moved[0].row, moved[2].column - moved[0].column};
  const double determinant = first.row * second.column - first.column * second.row;
  std::vector<double> down(photo.size.pixels()), right(photo.size.pixels());
  const double reach = kReach[level] * side, smoothing = kSmoothing[level] * side;
  for (std::vector<double>* one : {&right, &down}) {
    for (double& value : *one) value = stream.uniform(-reach, reach);
    smooth(*one, photo.size, smoothing);
  }
  for (std::size_t c = 0; c < photo.channels; ++c) {
    const Plane plane = photo.plane(c);
    std::vector<double> from(plane.begin(), plane.end());
    for (std::size_t p = 0; p < plane.size(); ++p) {
      const double row = static_cast<double>(p / photo.size.columns) - moved[0].row;
      const double column = static_cast<double>(p % photo.size.columns) - moved[0].column;
      const double a = (row * second.column - column * second.row) / determinant;
      const double b = (first.row * column - first.column * row) / determinant;
      plane[p] = value_at(
          from, photo.size,
          corners[0].row + a * (corners[1].row - corners[0].row) + b * (corners[2].row - corners[0].row),
          corners[0].column + a * (corners[1].column - corners[0].column) +
              b * (corners[2].column - corners[0].column),
          Mirror::without_edge);
    }
    from.assign(plane.begin(), plane.end());
    for (std::size_t p = 0; p < plane.size(); ++p)
      plane[p] = value_at(from, photo.size, static_cast<double>(p / photo.size.columns) + down[p],
                          static_cast<double>(p % photo.size.columns) + right[p], Mirror::with_edge);
  }
}

// Fewer, larger pixels: each is the mean of those whose centres it covers, and is then drawn at the old size.
void pixelate(Photo& photo, std::size_t level, Stream&) {
  constexpr Levels<double> kSide = {0.95, 0.9, 0.85, 0.75, 0.65};
  // The large pixel that covers each small one along a side.
  struct Side {
    std::size_t large;
    double scale;
    // Where small pixel centres fall, and which large pixel is drawn over each small one.
    std::size_t covering(std::size_t small) const {
      return std::min(large - 1, static_cast<std::size_t>((static_cast<double>(small) + 0.5) / scale));
    }
  };
  const auto side = [&](std::size_t small) {
    const auto large =
        std::max<std::size_t>(1, static_cast<std::size_t>(static_cast<double>(small) * kSide[level]));
    return Side{large, static_cast<double>(small) / static_cast<double>(large)};
  };
  const Side rows = side(photo.size.height), columns = side(photo.size.columns);
  for (std::size_t c = 0; c < photo.channels; ++c) {
    std::vector<double> sums(rows.large * columns.large, 0.0), counts(sums.size(), 0.0);
    const Plane plane = photo.plane(c);
    const auto large = [&](std::size_t p) {
      return rows.covering(p / photo.size.columns) * columns.large + columns.covering(p % photo.size.columns);
    };
    for (std::size_t p = 0; p < plane.size(); ++p) {
      sums[large(p)] += plane[p];
      counts[large(p)] += 1;
    }
    for (std::size_t p = 0; p < plane.size(); ++p) plane[p] = sums[large(p)] / counts[large(p)];
  }
}

// There and back through a JPEG file; with other than three channels, each by itself.
void jpeg_compression(Photo& photo, std::size_t level, Stream&) {
  constexpr Levels<int> kQuality = {80, 65, 58, 50, 40};
  const std::size_t together = photo.channels == 3 ? 3 : 1, pixels = photo.size.pixels();
  for (std::size_t first = 0; first < photo.channels; first += together) {
    Picture picture{photo.size.columns, photo.size.height, together,
                    std::vector<std::uint8_t>(pixels * together)};
    for (std::size_t i = 0; i < picture.pixels.size(); ++i)
      picture.pixels[i] = to_byte(photo.plane(first + i % together)[i / together]);
    picture = decode_picture(encode_jpeg(picture, kQuality[level]), "JPEG compression");
    for (std::size_t i = 0; i < picture.pixels.size(); ++i)
      photo.plane(first + i % together)[i / together] = picture.pixels[i] / 255.0;
  }
}

}  // namespace coterie::cifar_c
