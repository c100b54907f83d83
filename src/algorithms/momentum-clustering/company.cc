#include "algorithms/momentum-clustering/company.h"

#include <algorithm>

#include "math/distances.h"

namespace coterie {
namespace {

// Three times as far, squared.
constexpr double kHardlyFarther = 9;

}  // namespace

Vec with_company(const Points& points, std::size_t clusters) {
  const std::size_t rank = points.count / (2 * clusters);
  if (rank == 0) return {points.values.begin(), points.values.end()};
  Vec reach(points.count), sorted;  // squared, to the neighbour of that rank; the point itself has rank 0
  for_each_distance_row(points, [&](std::size_t i, std::span<const double> row) {
    sorted.assign(row.begin(), row.end());
    const auto neighbour = sorted.begin() + static_cast<std::ptrdiff_t>(std::min(rank, points.count - 1));
    std::nth_element(sorted.begin(), neighbour, sorted.end());
    reach[i] = *neighbour;
  });
  sorted = reach;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(points.count / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  Vec kept;
  for (std::size_t i = 0; i < points.count; ++i) {
    if (reach[i] > kHardlyFarther * *middle) continue;
    kept.insert(kept.end(), points[i].begin(), points[i].end());
  }
  return kept;
}

}  // namespace coterie
