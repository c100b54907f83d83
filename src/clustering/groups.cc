#include "clustering/groups.h"

#include <algorithm>

#include "coterie/error.h"
#include "math/kernels.h"

namespace coterie {

Vec mean_of(const Points& points) {
  Vec mean(points.width, 0.0);
  for (std::size_t i = 1; i < points.count; ++i) {
    for (std::size_t c = 0; c < points.width; ++c) mean[c] += points[i][c] - points[0][c];
  }
  for (std::size_t c = 0; c < points.width; ++c) {
    mean[c] = points[0][c] + mean[c] / static_cast<double>(points.count);
  }
  return mean;
}

GroupMeans group_means(const Points& points, std::span<const std::uint32_t> labels) {
  check(labels.size() == points.count, "a label for each point");
  GroupMeans groups;
  if (labels.empty()) return groups;
  const std::size_t count = *std::max_element(labels.begin(), labels.end()) + std::size_t{1};
  groups.means.assign(count * points.width, 0.0);
  groups.sizes.assign(count, 0);
  const auto mean = [&](std::size_t k) {
    return std::span(groups.means).subspan(k * points.width, points.width);
  };
  for (std::size_t i = 0; i < points.count; ++i) {
    add_scaled(1.0, points[i], mean(labels[i]));
    ++groups.sizes[labels[i]];
  }
  for (std::size_t k = 0; k < count; ++k) {
    if (groups.sizes[k] == 0) continue;
    for (double& value : mean(k)) value /= static_cast<double>(groups.sizes[k]);
  }
  return groups;
}

}  // namespace coterie
