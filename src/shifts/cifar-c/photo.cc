#include "shifts/cifar-c/photo.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace coterie::cifar_c {
namespace {

constexpr std::array<double, 3> kSeen = {0.299, 0.587, 0.114};

}  // namespace

std::vector<double> Photo::grey() const {
  std::vector<double> grey(size.pixels(), 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t channel = i / size.pixels();
    grey[i % size.pixels()] +=
        values[i] * (channels == 3 ? kSeen[channel] : 1 / static_cast<double>(channels));
  }
  return grey;
}

double Photo::of_colour(const std::array<double, 3>& colour, std::size_t channel) const {
  if (channels == 3) return colour[channel];
  return kSeen[0] * colour[0] + kSeen[1] * colour[1] + kSeen[2] * colour[2];
}

std::size_t mirrored(std::ptrdiff_t place, std::size_t size, Mirror how) {
  const auto count = static_cast<std::ptrdiff_t>(size);
  if (count == 1) return 0;
  const std::ptrdiff_t period = how == Mirror::with_edge ? 2 * count : 2 * count - 2;
  place = ((place % period) + period) % period;
  if (place >= count) place = period - place - (how == Mirror::with_edge ? 1 : 0);
  return static_cast<std::size_t>(place);
}

double value_at(std::span<const double> plane, const PlaneSize& size, double row, double column, Mirror how) {
  const double top = std::floor(row), left = std::floor(column);
  double value = 0;
  for (int corner = 0; corner < 4; ++corner) {
    const double r = top + corner / 2, c = left + corner % 2;
    const double weight = (1 - std::abs(row - r)) * (1 - std::abs(column - c));
    value += weight * plane[mirrored(static_cast<std::ptrdiff_t>(r), size.height, how) * size.columns +
                            mirrored(static_cast<std::ptrdiff_t>(c), size.columns, how)];
  }
  return value;
}

void filter(Plane plane, const PlaneSize& size, std::span<const Tap> taps) {
  const std::vector<double> from(plane.begin(), plane.end());
  for (std::size_t p = 0; p < plane.size(); ++p) {
    double value = 0;
    for (const Tap& tap : taps) {
      const auto row = static_cast<std::ptrdiff_t>(p / size.columns) + tap.down;
      const auto column = static_cast<std::ptrdiff_t>(p % size.columns) + tap.right;
      value += tap.weight * from[mirrored(row, size.height, Mirror::without_edge) * size.columns +
                                 mirrored(column, size.columns, Mirror::without_edge)];
    }
    plane[p] = value;
  }
}

void zoom(Plane plane, const PlaneSize& size, double factor) {
  // Along one side: where the place `i` of the enlarged middle comes from.
  const auto source = [factor](std::size_t side, std::size_t i) {
    const double kept = std::ceil(static_cast<double>(side) / factor);
    const double enlarged = std::round(kept * factor);
    const double begin = std::floor((static_cast<double>(side) - kept) / 2);
    const double trimmed = std::floor((enlarged - static_cast<double>(side)) / 2);
    const double step = enlarged > 1 ? (kept - 1) / (enlarged - 1) : 0;
    return begin + (static_cast<double>(i) + trimmed) * step;
  };
  const std::vector<double> from(plane.begin(), plane.end());
  for (std::size_t p = 0; p < plane.size(); ++p) {
    plane[p] = value_at(from, size, source(size.height, p / size.columns),
                        source(size.columns, p % size.columns), Mirror::without_edge);
  }
}

void smear(Plane plane, const PlaneSize& size, int radius, double deviation, double degrees) {
  const double angle = degrees * std::numbers::pi / 180;
  std::vector<Tap> taps;
  double sum = 0;
  for (int k = 0; k <= 2 * radius; ++k) {
    const double weight = std::exp(-k * k / (2 * deviation * deviation));
    taps.push_back({static_cast<std::ptrdiff_t>(std::ceil(k * std::sin(angle) - 0.5)),
                    static_cast<std::ptrdiff_t>(std::ceil(k * std::cos(angle) - 0.5)), weight});
    sum += weight;
  }
  const std::vector<double> from(plane.begin(), plane.end());
  const auto inside = [](std::size_t place, std::ptrdiff_t step, std::size_t count) {
    return static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(place) + step, 0,
                                                               static_cast<std::ptrdiff_t>(count) - 1));
  };
  for (std::size_t p = 0; p < plane.size(); ++p) {
    double value = 0;
    for (const Tap& tap : taps) {
      value += tap.weight / sum *
               from[inside(p / size.columns, tap.down, size.height) * size.columns +
                    inside(p % size.columns, tap.right, size.columns)];
    }
    plane[p] = value;
  }
}

std::vector<double> clouds(const PlaneSize& size, double decay, Stream& stream) {
  const std::size_t side = std::bit_ceil(std::max({size.height, size.columns, std::size_t{2}}));
  std::vector<double> map(side * side, 0.0);
  const auto at = [&](std::size_t row, std::size_t column) -> double& {
    return map[(row % side) * side + column % side];
  };
  double reach = 100;  // of the published code, whose displacements go as its square
  for (std::size_t step = side; step >= 2; step /= 2, reach /= decay) {
    const std::size_t half = step / 2;
    const auto moved = [&](double sum) { return sum / 4 + reach * stream.uniform(-reach, reach); };
    for (std::size_t r = 0; r < side; r += step) {
      for (std::size_t c = 0; c < side; c += step)
        at(r + half, c + half) = moved(at(r, c) + at(r + step, c) + at(r, c + step) + at(r + step, c + step));
    }
    for (std::size_t r = 0; r < side; r += half) {
      for (std::size_t c = (r / half) % 2 == 0 ? half : 0; c < side; c += step)
        at(r, c) = moved(at(r + side - half, c) + at(r + half, c) + at(r, c + side - half) + at(r, c + half));
    }
  }
  const auto [low, high] = std::minmax_element(map.begin(), map.end());
  const double least = *low, range = *high - *low;
  std::vector<double> cut;
  for (std::size_t p = 0; p < size.pixels(); ++p)
    cut.push_back((at(p / size.columns, p % size.columns) - least) / range);
  return cut;
}

}  // namespace coterie::cifar_c
