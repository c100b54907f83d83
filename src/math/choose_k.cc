#include "math/choose_k.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "math/distances.h"
#include "math/groups.h"

namespace coterie {
namespace {

constexpr double kStraight = 1e-12;  // below the chord by rounding only

}  // namespace

double silhouette(const Points& points, std::span<const std::uint32_t> labels) {
  require_finite(points, "silhouette");
  const Groups groups = group_means(points, labels);
  const auto filled = groups.sizes.size() -
                      static_cast<std::size_t>(std::count(groups.sizes.begin(), groups.sizes.end(), 0u));
  if (filled < 2) return 0;
  double total = 0;
  Vec sums(groups.count());
  for_each_distance_row(points, [&](std::size_t i, std::span<const double> row) {
    std::fill(sums.begin(), sums.end(), 0.0);
    for (std::size_t j = 0; j < points.count; ++j) sums[labels[j]] += std::sqrt(row[j]);
    const std::size_t own = labels[i];
    if (groups.sizes[own] == 1) return;
    const double within = sums[own] / static_cast<double>(groups.sizes[own] - 1);
    double beyond = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < groups.count(); ++k) {
      if (k == own || groups.sizes[k] == 0) continue;
      beyond = std::min(beyond, sums[k] / static_cast<double>(groups.sizes[k]));
    }
    const double larger = std::max(within, beyond);
    if (larger > 0) total += (beyond - within) / larger;
  });
  return total / static_cast<double>(points.count);
}

std::size_t elbow(std::span<const double> objectives, std::optional<double> threshold) {
  check(!objectives.empty(), "an elbow of no objectives");
  const double first = objectives.front(), last = objectives.back();
  if (threshold) {
    for (std::size_t k = 1; k < objectives.size(); ++k) {
      if (!(objectives[k - 1] - objectives[k] > *threshold * first)) return k;
    }
    return objectives.size();
  }
  if (!(first > last)) return 1;
  std::size_t best = 1;
  double farthest = kStraight;
  for (std::size_t k = 2; k < objectives.size(); ++k) {
    const double along = static_cast<double>(k - 1) / static_cast<double>(objectives.size() - 1);
    const double below = (1 - along) - (objectives[k - 1] - last) / (first - last);
    if (below > farthest) {
      farthest = below;
      best = k;
    }
  }
  return best;
}

ChosenK choose_k(const Points& points, const ChooseKOptions& options, Stream& stream) {
  require_finite(points, "choice of the number of groups");
  const std::size_t most = std::min(static_cast<std::size_t>(options.most), points.count);
  ChosenK result;
  std::vector<Grouping> tried;
  for (std::size_t k = 1; k <= most; ++k) {
    tried.push_back(kmeans(points, k, options.kmeans, stream));
    result.objectives.push_back(tried.back().objective);
    if (options.by == "silhouette") result.silhouettes.push_back(silhouette(points, tried.back().labels));
  }
  if (options.by == "elbow") {
    result.k = elbow(result.objectives, options.threshold);
  } else {
    const auto from = result.silhouettes.begin() + (most > 1 ? 1 : 0);
    result.k = static_cast<std::size_t>(std::max_element(from, result.silhouettes.end()) -
                                        result.silhouettes.begin()) +
               1;
  }
  result.grouping = std::move(tried[result.k - 1]);
  return result;
}

}  // namespace coterie
