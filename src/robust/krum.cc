#include "robust/krum.h"

#include <algorithm>
#include <numeric>

#include "math/distances.h"
#include "math/kernels.h"

namespace coterie {

Vec krum_scores(const Points& points, std::size_t liars) {
  Vec scores(points.count, 0.0);
  if (points.count < 2) return scores;
  const std::size_t needed = liars + 2;
  const std::size_t neighbours =
      std::clamp<std::size_t>(points.count > needed ? points.count - needed : 0, 1, points.count - 1);
  Vec others;
  for_each_distance_row(points, [&](std::size_t i, std::span<const double> row) {
    others.assign(row.begin(), row.end());
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    std::sort(others.begin(), others.end());
    scores[i] = sum(std::span<const double>(others).first(neighbours));
  });
  return scores;
}

std::vector<std::size_t> krum_order(const Points& points, std::size_t liars) {
  require_finite(points, "Krum");
  const Vec scores = krum_scores(points, liars);
  std::vector<std::size_t> order(points.count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return scores[a] < scores[b]; });
  return order;
}

}  // namespace coterie
