// Noise on every value by itself, colours apart.
#include <algorithm>
#include <cmath>

#include "shifts/cifar-c/photo.h"

namespace coterie::cifar_c {
namespace {

// log k! for k below 512.
const std::vector<double>& log_factorials() {
  static const std::vector<double> kTable = [] {
    std::vector<double> table = {0};
    for (int k = 1; k < 512; ++k) table.push_back(table.back() + std::log(k));
    return table;
  }();
  return kTable;
}

// By inversion: counts are tried from the most likely one outwards, about sqrt(mean) of them. Means below
// 512.
double poisson(double mean, Stream& stream) {
  if (mean <= 0) return 0;
  double left = stream.uniform();
  const auto mode = std::min<std::size_t>(static_cast<std::size_t>(mean), 511);
  double above = std::exp(static_cast<double>(mode) * std::log(mean) - mean - log_factorials()[mode]);
  double below = above;
  left -= above;
  if (left < 0) return static_cast<double>(mode);
  auto low = static_cast<double>(mode), high = low;
  while (above > 0) {
    high += 1;
    above *= mean / high;
    left -= above;
    if (left < 0) return high;
    if (low > 0) {
      below *= low / mean;
      low -= 1;
      left -= below;
      if (left < 0) return low;
    }
  }
  return high;  // rounding left a little of 1 over
}

}  // namespace

void gaussian_noise(Photo& photo, std::size_t level, Stream& stream) {
  constexpr Levels<double> kDeviation = {0.04, 0.06, 0.08, 0.09, 0.10};
  for (double& value : photo.values) value += kDeviation[level] * stream.normal();
}

void shot_noise(Photo& photo, std::size_t level, Stream& stream) {
  constexpr Levels<double> kPhotons = {500, 250, 100, 75, 50};  // that white has
  for (double& value : photo.values) value = poisson(value * kPhotons[level], stream) / kPhotons[level];
}

void impulse_noise(Photo& photo, std::size_t level, Stream& stream) {
  constexpr Levels<double> kShare = {0.01, 0.02, 0.03, 0.05, 0.07};
  for (double& value : photo.values) {
    if (stream.bernoulli(kShare[level])) value = stream.bernoulli(0.5) ? 1 : 0;
  }
}

void speckle_noise(Photo& photo, std::size_t level, Stream& stream) {
  constexpr Levels<double> kDeviation = {0.06, 0.1, 0.12, 0.16, 0.2};  // as a share of the value
  for (double& value : photo.values) value += value * kDeviation[level] * stream.normal();
}

}  // namespace coterie::cifar_c
