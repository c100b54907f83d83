#include "clustering/kmeans.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "coterie/error.h"
#include "math/distances.h"
#include "math/gemm.h"
#include "math/kernels.h"

namespace coterie {
namespace {

constexpr std::size_t kRows = 256;  // of products made at a time

// One run of Lloyd's algorithm.
class Run {
 public:
  Run(const Points& points, Vec centres)
      : points_(points),
        k_(centres.size() / points.width),
        centres_(std::move(centres)),
        labels_(points.count, 0),
        sizes_(k_, 0) {
    for (std::size_t i = 0; i < points.count; ++i) norms_.push_back(squared_norm(points[i]));
  }

  Grouping finish(const KMeansOptions& options) {
    std::vector<std::uint32_t> before;
    std::size_t t = 0;
    while (t < static_cast<std::size_t>(options.iterations)) {
      assign();
      fill_empty();
      if (t > 0 && labels_ == before) break;
      before = labels_;
      double moved = update();
      ++t;
      if (moved <= options.tolerance * options.tolerance && options.tolerance > 0) break;
    }
    Grouping result{std::move(centres_), std::move(labels_), 0, t};
    for (std::size_t i = 0; i < points_.count; ++i) {
      result.objective += squared_distance(points_[i], result.centre(result.labels[i], points_.width));
    }
    return result;
  }

 private:
  std::span<const double> centre(std::size_t k) const {
    return std::span<const double>(centres_).subspan(k * points_.width, points_.width);
  }

  // The nearest centre of every point, by |x|^2 - 2 x.c + |c|^2 where that leaves no doubt.
  void assign() {
    Vec squares(k_);
    double largest = 0;
    for (std::size_t k = 0; k < k_; ++k) {
      squares[k] = squared_norm(centre(k));
      largest = std::max(largest, squares[k]);
    }
    std::fill(sizes_.begin(), sizes_.end(), 0);
    Vec products(kRows * k_);
    for (std::size_t first = 0; first < points_.count; first += kRows) {
      std::size_t rows = std::min(kRows, points_.count - first);
      multiply(Matrix<const double>(points_[first].data(), rows, points_.width),
               Matrix<const double>(centres_.data(), k_, points_.width).transposed(),
               Matrix<double>(products.data(), rows, k_));
      for (std::size_t i = 0; i < rows; ++i) {
        std::span<double> near = std::span(products).subspan(i * k_, k_);
        for (std::size_t k = 0; k < k_; ++k) {
          near[k] = std::max(0.0, norms_[first + i] - 2 * near[k] + squares[k]);
        }
        choose(first + i, near, largest);
      }
    }
  }

  // `near` holds squared distances that are off by rounding of their three terms at most.
  void choose(std::size_t i, std::span<const double> near, double largest) {
    const double width = static_cast<double>(points_.width);
    const double doubt = 4 * (width + 4) * std::numeric_limits<double>::epsilon() * (norms_[i] + largest);
    double least = std::numeric_limits<double>::infinity(), second = least;
    std::size_t best = 0;
    for (std::size_t k = 0; k < k_; ++k) {
      second = std::min(second, std::max(least, near[k]));
      best = near[k] < least ? k : best;
      least = std::min(least, near[k]);
    }
    if (const double limit = least + doubt; second <= limit) {
      double nearest = std::numeric_limits<double>::infinity();
      for (std::size_t k = 0; k < k_; ++k) {
        if (near[k] > limit) continue;
        double exact = squared_distance(points_[i], centre(k));
        if (exact < nearest) {
          nearest = exact;
          best = k;
        }
      }
    }
    labels_[i] = static_cast<std::uint32_t>(best);
    ++sizes_[best];
  }

  void fill_empty() {
    if (std::find(sizes_.begin(), sizes_.end(), std::size_t{0}) == sizes_.end()) return;
    Vec distances(points_.count);
    for (std::size_t i = 0; i < points_.count; ++i) {
      distances[i] = squared_distance(points_[i], centre(labels_[i]));
    }
    for (std::size_t k = 0; k < k_; ++k) {
      if (sizes_[k] > 0) continue;
      std::size_t farthest = points_.count;
      for (std::size_t i = 0; i < points_.count; ++i) {
        if (sizes_[labels_[i]] < 2 || distances[i] == 0) continue;
        if (farthest == points_.count || distances[i] > distances[farthest]) farthest = i;
      }
      if (farthest == points_.count) return;
      --sizes_[labels_[farthest]];
      labels_[farthest] = static_cast<std::uint32_t>(k);
      distances[farthest] = 0;
      sizes_[k] = 1;
    }
  }

  // Centres become the means of their groups; returns the largest squared move.
  double update() {
    Vec means(centres_.size(), 0.0);
    for (std::size_t i = 0; i < points_.count; ++i) {
      add_scaled(1.0, points_[i], std::span(means).subspan(labels_[i] * points_.width, points_.width));
    }
    double moved = 0;
    for (std::size_t k = 0; k < k_; ++k) {
      if (sizes_[k] == 0) continue;
      std::span<double> mean = std::span(means).subspan(k * points_.width, points_.width);
      for (double& value : mean) value /= static_cast<double>(sizes_[k]);
      moved = std::max(moved, squared_distance(std::span<const double>(mean), centre(k)));
      std::copy(mean.begin(), mean.end(), centres_.begin() + static_cast<std::ptrdiff_t>(k * points_.width));
    }
    return moved;
  }

  const Points& points_;
  std::size_t k_;
  Vec centres_;
  Vec norms_;
  std::vector<std::uint32_t> labels_;
  std::vector<std::size_t> sizes_;
};

void append(Vec& centres, std::span<const double> point) {
  centres.insert(centres.end(), point.begin(), point.end());
}

// k different points, and some of them again when there are not so many.
Vec random_points(const Points& points, std::size_t k, Stream& stream) {
  std::vector<std::uint32_t> chosen = stream.sample(points.count, std::min(k, points.count));
  Vec centres;
  for (std::size_t j = 0; j < k; ++j) append(centres, points[chosen[j % chosen.size()]]);
  return centres;
}

}  // namespace

void KMeansOptions::options(Options& o) {
  o("restarts", &restarts, "runs of k-means, of which the one with the least sum of squares is kept",
    between(1, 10000));
  o.choice("seeding", seeding, {"kmeans++", "random"},
           "first centres of a run: points drawn far from each other, or any");
}

Grouping lloyd(const Points& points, Vec centres, const KMeansOptions& options) {
  require_finite(points, "k-means");
  check(!centres.empty() && centres.size() % points.width == 0, "centres of another width");
  check(options.iterations > 0, "k-means needs an iteration");
  return Run(points, std::move(centres)).finish(options);
}

Vec kmeans_plus_plus(const Points& points, std::size_t k, Stream& stream) {
  Vec centres;
  Vec nearest(points.count, std::numeric_limits<double>::infinity());
  std::size_t chosen = stream.below(points.count);
  append(centres, points[chosen]);
  for (std::size_t j = 1; j < k; ++j) {
    bool any = false;
    for (std::size_t i = 0; i < points.count; ++i) {
      nearest[i] = std::min(nearest[i], squared_distance(points[i], points[chosen]));
      any = any || nearest[i] > 0;
    }
    chosen = any ? stream.index(nearest) : stream.below(points.count);
    append(centres, points[chosen]);
  }
  return centres;
}

Grouping kmeans(const Points& points, std::size_t k, const KMeansOptions& options, Stream& stream) {
  require_finite(points, "k-means");
  check(k > 0, "k-means needs a centre");
  Grouping best;
  // One centre ends at the mean, wherever it begins.
  std::int64_t restarts = k == 1 ? 1 : options.restarts;
  for (std::int64_t run = 0; run < restarts; ++run) {
    Vec centres =
        options.seeding == "random" ? random_points(points, k, stream) : kmeans_plus_plus(points, k, stream);
    Grouping found = Run(points, std::move(centres)).finish(options);
    if (run == 0 || found.objective < best.objective) best = std::move(found);
  }
  return best;
}

}  // namespace coterie
