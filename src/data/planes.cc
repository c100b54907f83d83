#include "data/planes.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace coterie {
namespace {

std::vector<double> gaussian_kernel(double deviation) {
  const auto radius = static_cast<int>(std::ceil(4 * deviation));
  std::vector<double> kernel;
  double sum = 0;
  for (int k = -radius; k <= radius; ++k) {
    kernel.push_back(std::exp(-0.5 * (k / deviation) * (k / deviation)));
    sum += kernel.back();
  }
  for (double& weight : kernel) weight /= sum;
  return kernel;
}

// Along one line of pixels, `step` apart.
void smooth_line(double* first, std::size_t count, std::size_t step, std::span<const double> kernel) {
  std::vector<double> line(count);
  for (std::size_t i = 0; i < count; ++i) line[i] = first[i * step];
  const auto last = static_cast<std::ptrdiff_t>(count) - 1;
  const auto radius = static_cast<std::ptrdiff_t>(kernel.size() / 2);
  for (std::ptrdiff_t i = 0; i <= last; ++i) {
    double value = 0;
    for (std::ptrdiff_t k = -radius; k <= radius; ++k) {
      value += kernel[static_cast<std::size_t>(k + radius)] *
               line[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(i + k, 0, last))];
    }
    first[static_cast<std::size_t>(i) * step] = value;
  }
}

}  // namespace

Taps taps_at(double row, double column, const PlaneSize& size) {
  const double left = std::floor(column), top = std::floor(row);
  Taps taps;
  for (int corner = 0; corner < 4; ++corner) {
    const double r = top + corner / 2, c = left + corner % 2;
    taps.weight[corner] = (1 - std::abs(row - r)) * (1 - std::abs(column - c));
    const bool inside =
        r >= 0 && c >= 0 && r < static_cast<double>(size.height) && c < static_cast<double>(size.columns);
    taps.pixel[corner] = inside ? static_cast<std::uint32_t>(r) * static_cast<std::uint32_t>(size.columns) +
                                      static_cast<std::uint32_t>(c)
                                : Taps::kOutside;
  }
  return taps;
}

std::vector<Taps> turned_taps(double degrees, const PlaneSize& size) {
  const double radians = degrees * std::numbers::pi / 180.0;
  const double cosine = std::cos(radians), sine = std::sin(radians);
  const double middle_row = (static_cast<double>(size.height) - 1) / 2;
  const double middle_column = (static_cast<double>(size.columns) - 1) / 2;
  std::vector<Taps> taps;
  taps.reserve(size.pixels());
  for (std::size_t i = 0; i < size.height; ++i) {
    for (std::size_t j = 0; j < size.columns; ++j) {
      // Right and up from the centre, turned back by the angle.
      const double x = static_cast<double>(j) - middle_column, y = middle_row - static_cast<double>(i);
      taps.push_back(
          taps_at(middle_row + sine * x - cosine * y, middle_column + cosine * x + sine * y, size));
    }
  }
  return taps;
}

void smooth(std::span<double> plane, const PlaneSize& size, double deviation) {
  if (deviation <= 0) return;
  const std::vector<double> kernel = gaussian_kernel(deviation);
  for (std::size_t i = 0; i < size.height; ++i)
    smooth_line(&plane[i * size.columns], size.columns, 1, kernel);
  for (std::size_t j = 0; j < size.columns; ++j) smooth_line(&plane[j], size.height, size.columns, kernel);
}

}  // namespace coterie
