// Lenses and motion.
#include <cmath>

#include "shifts/cifar-c/photo.h"

namespace coterie::cifar_c {

void gaussian_blur(Photo& photo, std::size_t level, Stream&) {
  constexpr Levels<double> kDeviation = {0.4, 0.6, 0.7, 0.8, 1.0};  // in pixels
  for (std::size_t c = 0; c < photo.channels; ++c) smooth(photo.plane(c), photo.size, kDeviation[level]);
}

// Smoothed; then every pixel, from the last to the first, becomes one of its neighbours to the left and
// above, or stays; then smoothed again. (The published code means to swap the two, but copies: swapped pixels
// would wander far.)
void glass_blur(Photo& photo, std::size_t level, Stream& stream) {
  constexpr Levels<double> kDeviation = {0.05, 0.25, 0.4, 0.25, 0.4};
  constexpr Levels<int> kTimes = {1, 1, 1, 2, 2};
  for (std::size_t c = 0; c < photo.channels; ++c) smooth(photo.plane(c), photo.size, kDeviation[level]);
  for (int time = 0; time < kTimes[level]; ++time) {
    for (std::size_t row = photo.size.height; row-- > 2;) {
      for (std::size_t column = photo.size.columns; column-- > 2;) {
        const std::size_t left = stream.below(2), up = stream.below(2);
        const std::size_t here = row * photo.size.columns + column;
        const std::size_t there = here - up * photo.size.columns - left;
        for (std::size_t c = 0; c < photo.channels; ++c) photo.plane(c)[here] = photo.plane(c)[there];
      }
    }
  }
  for (std::size_t c = 0; c < photo.channels; ++c) smooth(photo.plane(c), photo.size, kDeviation[level]);
}

// The mean over a disk, whose rim is softened by a Gaussian of 3 x 3 pixels.
void defocus_blur(Photo& photo, std::size_t level, Stream&) {
  constexpr Levels<double> kRadius = {0.3, 0.4, 0.5, 1, 1.5};
  constexpr Levels<double> kSoft = {0.4, 0.5, 0.6, 0.2, 0.1};
  constexpr int kReach = 2;  // the largest radius, rounded up
  const double side = std::exp(-0.5 / (kSoft[level] * kSoft[level]));
  const auto gaussian = [&](int k) { return (k == 0 ? 1 : side) / (1 + 2 * side); };
  std::vector<Tap> taps;
  int disk = 0;
  for (int row = -kReach; row <= kReach; ++row) {
    for (int column = -kReach; column <= kReach; ++column) {
      if (row * row + column * column > kRadius[level] * kRadius[level]) continue;
      ++disk;
      for (int down = -1; down <= 1; ++down) {
        for (int right = -1; right <= 1; ++right)
          taps.push_back({row + down, column + right, gaussian(down) * gaussian(right)});
      }
    }
  }
  for (Tap& tap : taps) tap.weight /= disk;
  for (std::size_t c = 0; c < photo.channels; ++c) filter(photo.plane(c), photo.size, taps);
}

void motion_blur(Photo& photo, std::size_t level, Stream& stream) {
  constexpr Levels<int> kRadius = {6, 6, 6, 8, 9};
  constexpr Levels<double> kDeviation = {1, 1.5, 2, 2, 2.5};
  const double angle = stream.uniform(-45, 45);
  for (std::size_t c = 0; c < photo.channels; ++c)
    smear(photo.plane(c), photo.size, kRadius[level], kDeviation[level], angle);
}

// The mean of the image and of it enlarged by 1, 1.01, 1.02 ...
void zoom_blur(Photo& photo, std::size_t level, Stream&) {
  constexpr Levels<int> kZooms = {7, 12, 16, 21, 26};  // to 1.06, 1.11, 1.15, 1.2 and 1.25
  std::vector<double> sum = photo.values;
  for (int k = 0; k < kZooms[level]; ++k) {
    Photo larger = photo;
    for (std::size_t c = 0; c < photo.channels; ++c) zoom(larger.plane(c), photo.size, 1 + 0.01 * k);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += larger.values[i];
  }
  for (std::size_t i = 0; i < sum.size(); ++i) photo.values[i] = sum[i] / (kZooms[level] + 1);
}

}  // namespace coterie::cifar_c
