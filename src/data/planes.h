// What several shifts do to one plane of an image: sampling between pixels, turning, smoothing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace coterie {

// The pixels of a plane are stored row by row.
struct PlaneSize {
  std::size_t height = 0;
  std::size_t columns = 0;
  std::size_t pixels() const { return height * columns; }
};

// Where the value of one output pixel comes from: the four pixels around a point, or background.
struct Taps {
  static constexpr std::uint32_t kOutside = ~0u;
  std::uint32_t pixel[4];
  double weight[4];
};

// Bilinear weights of the pixels around a point; pixel (i, j) is at row i and column j.
Taps taps_at(double row, double column, const PlaneSize& size);
// Those of every pixel of a plane turned counter-clockwise about its centre.
std::vector<Taps> turned_taps(double degrees, const PlaneSize& size);

template <class Real>
void resample(std::span<const Taps> taps, double background, std::span<Real> plane) {
  const std::vector<Real> from(plane.begin(), plane.end());
  for (std::size_t p = 0; p < taps.size(); ++p) {
    double value = 0;
    for (int corner = 0; corner < 4; ++corner) {
      const std::uint32_t pixel = taps[p].pixel[corner];
      value += taps[p].weight[corner] * (pixel == Taps::kOutside ? background : from[pixel]);
    }
    plane[p] = static_cast<Real>(value);
  }
}

// A Gaussian mean over the neighbours of each pixel, cut off at four deviations (in pixels); beyond the edge
// its pixels go on. A deviation of 0 changes nothing.
void smooth(std::span<double> plane, const PlaneSize& size, double deviation);

}  // namespace coterie
