// An image on its way through a corruption, and what corruptions are made with.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "coterie/random.h"
#include "data/planes.h"

namespace coterie::cifar_c {

using Plane = std::span<double>;
template <class T>
using Levels = std::array<T, 5>;  // by severity, from 0

// Values from 0 (black) to 1 (white), channel by channel. Corruptions may leave values outside, which are
// then cut off.
struct Photo {
  PlaneSize size;
  std::size_t channels = 1;
  std::vector<double> values;

  Plane plane(std::size_t channel) { return Plane(values).subspan(channel * size.pixels(), size.pixels()); }
  // Brightness as people see it: .299 red + .587 green + .114 blue; of other numbers of channels their mean.
  std::vector<double> grey() const;
  // Weight of a colour in a channel: (red, green, blue), or its brightness where there are not three
  // channels.
  double of_colour(const std::array<double, 3>& colour, std::size_t channel) const;
};

// Where edges end. Pixels beyond them are those inside, mirrored: (b) a b c (b), or with the edge twice: (a)
// a b c (c).
enum class Mirror { without_edge, with_edge };
std::size_t mirrored(std::ptrdiff_t place, std::size_t size, Mirror how);
// Between four pixels.
double value_at(std::span<const double> plane, const PlaneSize& size, double row, double column, Mirror how);

// Every value becomes the sum over taps of weight x the value so far below and right of it.
struct Tap {
  std::ptrdiff_t down = 0;
  std::ptrdiff_t right = 0;
  double weight = 0;
};
void filter(Plane plane, const PlaneSize& size, std::span<const Tap> taps);

// The middle of a plane, enlarged to the whole.
void zoom(Plane plane, const PlaneSize& size, double factor);
// Smeared along a line: a mean over 2 radius + 1 pixels from each one on, with weights of half a Gaussian.
// Angles turn clockwise, from the right on.
void smear(Plane plane, const PlaneSize& size, int radius, double deviation, double degrees);
// Clouds from 0 to 1, by the midpoints of ever smaller squares on a torus (diamond-square). Their roughness
// falls by `decay` from one size of squares to the half.
std::vector<double> clouds(const PlaneSize& size, double decay, Stream& stream);

// --- the corruptions, by severity from 0
// ---------------------------------------------------------------------
void gaussian_noise(Photo& photo, std::size_t level, Stream& stream);
void shot_noise(Photo& photo, std::size_t level, Stream& stream);
void impulse_noise(Photo& photo, std::size_t level, Stream& stream);
void speckle_noise(Photo& photo, std::size_t level, Stream& stream);

void gaussian_blur(Photo& photo, std::size_t level, Stream& stream);
void glass_blur(Photo& photo, std::size_t level, Stream& stream);
void defocus_blur(Photo& photo, std::size_t level, Stream& stream);
void motion_blur(Photo& photo, std::size_t level, Stream& stream);
void zoom_blur(Photo& photo, std::size_t level, Stream& stream);

void snow(Photo& photo, std::size_t level, Stream& stream);
void frost(Photo& photo, std::size_t level, Stream& stream);
void fog(Photo& photo, std::size_t level, Stream& stream);
void spatter(Photo& photo, std::size_t level, Stream& stream);

void brightness(Photo& photo, std::size_t level, Stream& stream);
void contrast(Photo& photo, std::size_t level, Stream& stream);
void saturate(Photo& photo, std::size_t level, Stream& stream);
void elastic_transform(Photo& photo, std::size_t level, Stream& stream);
void pixelate(Photo& photo, std::size_t level, Stream& stream);
void jpeg_compression(Photo& photo, std::size_t level, Stream& stream);

}  // namespace coterie::cifar_c
