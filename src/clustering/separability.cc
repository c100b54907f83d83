#include "clustering/separability.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "clustering/groups.h"
#include "math/distances.h"
#include "math/kernels.h"

namespace coterie {
namespace {

constexpr double kProximity = 100;  // c of Lemma 2

// The largest squared distance between two of these points.
double squared_diameter(const Points& points, const std::vector<std::size_t>& members) {
  Vec values;
  for (std::size_t i : members) values.insert(values.end(), points[i].begin(), points[i].end());
  double largest = 0;
  for_each_distance_row({values, members.size(), points.width},
                        [&](std::size_t, std::span<const double> row) {
                          largest = std::max(largest, *std::max_element(row.begin(), row.end()));
                        });
  return largest;
}

// Calls visit(k, l, |mu_k - mu_l|) for each pair of groups that have points.
template <class Visit>
void for_each_pair(const GroupMeans& groups, const Visit& visit) {
  for (std::size_t k = 0; k < groups.count(); ++k) {
    for (std::size_t l = k + 1; l < groups.count(); ++l) {
      if (groups.sizes[k] == 0 || groups.sizes[l] == 0) continue;
      visit(k, l, std::sqrt(squared_distance(groups.mean(k), groups.mean(l))));
    }
  }
}

// Largest distance of a point of each group to its mean.
Vec radii(const Points& points, std::span<const std::uint32_t> labels, const GroupMeans& groups) {
  Vec radii(groups.count(), 0.0);
  for (std::size_t i = 0; i < points.count; ++i) {
    double& radius = radii[labels[i]];
    radius = std::max(radius, std::sqrt(squared_distance(points[i], groups.mean(labels[i]))));
  }
  return radii;
}

Vec exact_diameters(const Points& points, std::span<const std::uint32_t> labels, std::size_t groups) {
  std::vector<std::vector<std::size_t>> members(groups);
  for (std::size_t i = 0; i < points.count; ++i) members[labels[i]].push_back(i);
  Vec diameters(groups, 0.0);
  for (std::size_t k = 0; k < groups; ++k) {
    if (members[k].size() > 1) diameters[k] = std::sqrt(squared_diameter(points, members[k]));
  }
  return diameters;
}

LambdaInterval interval_of(const GroupMeans& groups, std::size_t count, const Vec& diameters) {
  LambdaInterval interval;
  for (std::size_t k = 0; k < groups.count(); ++k) {
    if (groups.sizes[k] < 2) continue;
    interval.low = std::max(interval.low, diameters[k] / static_cast<double>(groups.sizes[k]));
  }
  for_each_pair(groups, [&](std::size_t k, std::size_t l, double distance) {
    const std::size_t others = 2 * count - groups.sizes[k] - groups.sizes[l];
    interval.high = std::min(interval.high, distance / static_cast<double>(others));
  });
  return interval;
}

LambdaInterval interval_of(const Points& points, std::span<const std::uint32_t> labels,
                           const GroupMeans& groups, const Vec& radii, Diameters how) {
  Vec diameters = how == Diameters::exact ? exact_diameters(points, labels, groups.count()) : radii;
  if (how == Diameters::bound) scale(2.0, diameters);
  LambdaInterval interval = interval_of(groups, points.count, diameters);
  interval.bound = how == Diameters::bound;
  return interval;
}

}  // namespace

LambdaInterval lambda_interval(const Points& points, std::span<const std::uint32_t> labels,
                               Diameters diameters) {
  require_finite(points, "interval of lambda");
  const GroupMeans groups = group_means(points, labels);
  return interval_of(points, labels, groups, radii(points, labels, groups), diameters);
}

Separability separability(const Points& points, std::span<const std::uint32_t> labels, Diameters diameters) {
  require_finite(points, "separability");
  const GroupMeans groups = group_means(points, labels);
  const Vec reach = radii(points, labels, groups);
  Separability result;
  result.lambda = interval_of(points, labels, groups, reach, diameters);
  result.radius = *std::max_element(reach.begin(), reach.end());
  result.distance = std::numeric_limits<double>::infinity();
  for_each_pair(groups, [&](std::size_t, std::size_t, double distance) {
    result.distance = std::min(result.distance, distance);
  });
  result.alpha =
      result.radius > 0 ? result.distance / result.radius : std::numeric_limits<double>::infinity();
  std::size_t smallest = points.count, filled = 0;
  for (std::size_t size : groups.sizes) {
    if (size == 0) continue;
    smallest = std::min(smallest, size);
    ++filled;
  }
  result.meaningful = says_something(filled, points.count);
  const double m = static_cast<double>(points.count), s = static_cast<double>(smallest);
  result.needed_by_convex = 4 * (m - s) / s;
  result.needed_by_kmeans = 2 + 2 * kProximity * std::sqrt(m / s);
  return result;
}

}  // namespace coterie
