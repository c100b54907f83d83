#include "robust/geometric_median.h"

#include <algorithm>
#include <cmath>

#include "math/distances.h"
#include "math/kernels.h"
#include "robust/order_statistics.h"

namespace coterie {
namespace {

constexpr double kEqual =
    1e-12;  // relative: a pull that only balances a point's weight leaves others as good

// Whether point k is the only minimum: the unit vectors to the others, by weight, pull less than its own
// weight (and that of its equals) holds.
bool is_minimum(const Points& points, std::span<const double> weights, std::size_t k) {
  const Vec distances = distances_to(points, points[k]);
  Vec factors(points.count, 0.0);
  double held = 0;
  for (std::size_t i = 0; i < points.count; ++i) {
    if (distances[i] == 0) {
      held += weights[i];
    } else {
      factors[i] = weights[i] / distances[i];
    }
  }
  Vec pull(points.width, 0.0);
  add_differences(points, factors, points[k], pull);
  return std::sqrt(squared_norm(std::span<const double>(pull))) < held * (1 - kEqual);
}

}  // namespace

void GeometricMedianOptions::options(Options& o) {
  o("smoothing", &smoothing, "distances count as at least this share of the median distance",
    between(1e-12, 1));
  o("tolerance", &tolerance, "stop when a step is no longer than this share of the median distance",
    between(1e-14, 0.1));
  o("iterations", &iterations, "at most so many steps", at_least(1));
}

GeometricMedian geometric_median(const Points& points, std::span<const double> weights,
                                 const GeometricMedianOptions& options) {
  require_finite(points, "geometric median");
  GeometricMedian found{coordinate_median(points, weights), 0, false};
  Vec& z = found.point;
  Vec distances = distances_to(points, z);
  std::vector<Weighted> spread(points.count);
  for (std::size_t i = 0; i < points.count; ++i) spread[i] = {distances[i], weights[i]};
  const double unit = weighted_median(spread);
  if (unit == 0) {  // half of the weight is at z
    found.converged = true;
    return found;
  }
  Vec factors(points.count);
  double least = unit;  // nu
  while (!found.converged && found.iterations < static_cast<std::size_t>(options.iterations)) {
    for (std::size_t i = 0; i < points.count; ++i) {
      factors[i] = weights[i] / std::max(least, distances[i]);
    }
    scale(1 / sum(std::span<const double>(factors)), factors);
    Vec step(points.width, 0.0);
    add_differences(points, factors, z, step);
    add_scaled(1.0, step, z);
    distances = distances_to(points, z);
    ++found.iterations;
    const double moved = std::sqrt(squared_norm(std::span<const double>(step)));
    found.converged = least <= options.smoothing * unit && moved <= options.tolerance * unit;
    least = std::max(least / 2, options.smoothing * unit);
  }
  const auto nearest =
      static_cast<std::size_t>(std::min_element(distances.begin(), distances.end()) - distances.begin());
  if (is_minimum(points, weights, nearest)) {
    z.assign(points[nearest].begin(), points[nearest].end());
    found.converged = true;
  }
  return found;
}

}  // namespace coterie
