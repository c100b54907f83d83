#include "clustering/choose_k.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "coterie/error.h"
#include "math/distances.h"

namespace coterie {
namespace {

constexpr double kStraight = 1e-12;  // below the chord by rounding only

// Adds up the silhouettes of the points of one grouping, given their distances.
class Silhouette {
 public:
  explicit Silhouette(std::span<const std::uint32_t> labels) : labels_(labels) {
    sizes_.assign(*std::max_element(labels.begin(), labels.end()) + std::size_t{1}, 0);
    for (const std::uint32_t label : labels) ++sizes_[label];
    several_ = std::count(sizes_.begin(), sizes_.end(), 0u) + 1 < std::ssize(sizes_);
    sums_.resize(sizes_.size());
  }

  void add(std::size_t i, std::span<const double> distances) {
    const std::size_t own = labels_[i];
    if (!several_ || sizes_[own] == 1) return;
    std::fill(sums_.begin(), sums_.end(), 0.0);
    for (std::size_t j = 0; j < labels_.size(); ++j) sums_[labels_[j]] += distances[j];
    const double within = sums_[own] / static_cast<double>(sizes_[own] - 1);
    double beyond = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < sizes_.size(); ++k) {
      if (k == own || sizes_[k] == 0) continue;
      beyond = std::min(beyond, sums_[k] / static_cast<double>(sizes_[k]));
    }
    const double larger = std::max(within, beyond);
    if (larger > 0) total_ += (beyond - within) / larger;
  }

  double mean() const { return total_ / static_cast<double>(labels_.size()); }

 private:
  std::span<const std::uint32_t> labels_;
  std::vector<std::size_t> sizes_;
  bool several_ = false;
  Vec sums_;
  double total_ = 0;
};

Vec means_of(const Points& points, std::vector<Silhouette> groupings) {
  Vec distances(points.count);
  for_each_distance_row(points, [&](std::size_t i, std::span<const double> row) {
    for (std::size_t j = 0; j < points.count; ++j) distances[j] = std::sqrt(row[j]);
    for (Silhouette& one : groupings) one.add(i, distances);
  });
  Vec means;
  for (const Silhouette& one : groupings) means.push_back(one.mean());
  return means;
}

}  // namespace

double silhouette(const Points& points, std::span<const std::uint32_t> labels) {
  require_finite(points, "silhouette");
  return means_of(points, {Silhouette(labels)})[0];
}

Vec silhouettes(const Points& points, const std::vector<Grouping>& groupings) {
  require_finite(points, "silhouette");
  std::vector<Silhouette> all;
  for (const Grouping& grouping : groupings) all.emplace_back(grouping.labels);
  return means_of(points, std::move(all));
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
  }
  if (options.by == "elbow") {
    result.k = elbow(result.objectives, options.threshold);
  } else {
    result.silhouettes = silhouettes(points, tried);
    const auto from = result.silhouettes.begin() + (most > 1 ? 1 : 0);
    result.k = static_cast<std::size_t>(std::max_element(from, result.silhouettes.end()) -
                                        result.silhouettes.begin()) +
               1;
  }
  result.grouping = std::move(tried[result.k - 1]);
  return result;
}

}  // namespace coterie
