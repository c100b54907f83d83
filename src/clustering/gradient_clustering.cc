#include "clustering/gradient_clustering.h"

#include <algorithm>
#include <cmath>

#include "coterie/error.h"
#include "math/distances.h"
#include "math/kernels.h"

namespace coterie {
namespace {

// Twice f at this distance.
double loss(double distance, const GradientClusteringOptions& options) {
  if (options.loss == "squared" || distance <= options.delta) return distance * distance;
  return options.delta * (2 * distance - options.delta);
}

// f'(x, a) is this times x - a.
double slope(double distance, const GradientClusteringOptions& options) {
  return options.loss == "squared" || distance <= options.delta ? 1 : options.delta / distance;
}

// Mean squared distance of points to their mean.
double spread(const Points& points) {
  const double m = static_cast<double>(points.count);
  Vec mean(points.width, 0.0);
  for (std::size_t i = 0; i < points.count; ++i) add_scaled(1.0, points[i], mean);
  scale(1 / m, mean);
  double sum = 0;
  for (std::size_t i = 0; i < points.count; ++i)
    sum += squared_distance(points[i], std::span(std::as_const(mean)));
  return sum / m;
}

// Whether a label changed. A point leaves its centre only for one that is nearer.
bool assign(const Points& points, Grouping& grouping) {
  const std::size_t k = grouping.centres.size() / points.width;
  bool changed = false;
  for (std::size_t i = 0; i < points.count; ++i) {
    std::uint32_t best = grouping.labels[i];
    double least = squared_distance(points[i], grouping.centre(best, points.width));
    for (std::uint32_t l = 0; l < k; ++l) {
      const double distance = squared_distance(points[i], grouping.centre(l, points.width));
      if (distance < least) {
        least = distance;
        best = l;
      }
    }
    changed = changed || best != grouping.labels[i];
    grouping.labels[i] = best;
  }
  return changed;
}

}  // namespace

void GradientClusteringOptions::options(Options& o) {
  o("step", &step, "of the centres along the mean gradient of their points' losses", above(0));
  o.require(step < 2, "step", "must be below 2, or centres run away");
  o.choice("loss", loss, {"squared", "huber"}, "of a point's distance to its centre");
  o("delta", &delta, "distance beyond which Huber's loss grows linearly", above(0));
  o.require(loss == "huber" || delta == GradientClusteringOptions{}.delta, "delta",
            "is used with loss = \"huber\" only");
  o("restarts", &restarts, "runs, of which the one with the least loss is kept", between(1, 10000));
}

Grouping gradient_descent(const Points& points, Vec centres, const GradientClusteringOptions& options) {
  require_finite(points, "gradient clustering");
  check(!centres.empty() && centres.size() % points.width == 0, "centres of another width");
  const double m = static_cast<double>(points.count);
  const double settled = options.tolerance * options.tolerance * spread(points);
  Grouping grouping{std::move(centres), std::vector<std::uint32_t>(points.count, 0), 0, 0};
  bool changed = true;
  while (grouping.iterations < static_cast<std::size_t>(options.iterations)) {
    changed = assign(points, grouping) || grouping.iterations == 0;
    Vec gradient(grouping.centres.size(), 0.0);
    for (std::size_t i = 0; i < points.count; ++i) {
      const std::size_t first = grouping.labels[i] * points.width;
      const std::span<const double> centre = grouping.centre(grouping.labels[i], points.width);
      const double weight = slope(std::sqrt(squared_distance(points[i], centre)), options);
      for (std::size_t c = 0; c < points.width; ++c) {
        gradient[first + c] += weight * (grouping.centres[first + c] - points[i][c]);
      }
    }
    scale(options.step / m, gradient);
    add_scaled(-1.0, gradient, grouping.centres);
    ++grouping.iterations;
    if (!changed && squared_norm(std::span<const double>(gradient)) <= settled) break;
  }
  assign(points, grouping);
  for (std::size_t i = 0; i < points.count; ++i) {
    const double squared = squared_distance(points[i], grouping.centre(grouping.labels[i], points.width));
    grouping.objective += loss(std::sqrt(squared), options);
  }
  return grouping;
}

Grouping gradient_clustering(const Points& points, std::size_t k, const GradientClusteringOptions& options,
                             Stream& stream) {
  require_finite(points, "gradient clustering");
  check(k > 0, "gradient clustering needs a centre");
  Grouping best;
  for (std::int64_t run = 0; run < (k == 1 ? 1 : options.restarts); ++run) {
    Grouping found = gradient_descent(points, kmeans_plus_plus(points, k, stream), options);
    if (run == 0 || found.objective < best.objective) best = std::move(found);
  }
  return best;
}

}  // namespace coterie
