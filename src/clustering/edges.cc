#include "clustering/edges.h"

#include <algorithm>

#include "math/distances.h"
#include "math/elementary.h"

namespace coterie {

std::vector<Edge> all_pairs(std::size_t count) {
  std::vector<Edge> edges;
  edges.reserve(count * (count - 1) / 2);
  for (std::uint32_t i = 0; i < count; ++i) {
    for (std::uint32_t j = i + 1; j < count; ++j) edges.push_back({i, j, 1.0});
  }
  return edges;
}

std::vector<Edge> knn_edges(const Points& points, std::size_t k, double phi) {
  require_finite(points, "k nearest neighbours");
  std::vector<Edge> edges;
  std::vector<std::uint32_t> order(points.count);
  k = std::min(k, points.count - 1);
  for_each_distance_row(points, [&](std::size_t i, std::span<const double> row) {
    order.clear();
    for (std::uint32_t j = 0; j < points.count; ++j) {
      if (j != i) order.push_back(j);
    }
    const auto nearer = [&](std::uint32_t a, std::uint32_t b) {
      return row[a] < row[b] || (row[a] == row[b] && a < b);
    };
    std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k), order.end(), nearer);
    for (std::size_t n = 0; n < k; ++n) {
      const auto self = static_cast<std::uint32_t>(i);
      edges.push_back(
          {std::min(self, order[n]), std::max(self, order[n]), exponential(-phi * row[order[n]])});
    }
  });
  std::sort(edges.begin(), edges.end(),
            [](const Edge& x, const Edge& y) { return x.a < y.a || (x.a == y.a && x.b < y.b); });
  edges.erase(std::unique(edges.begin(), edges.end(),
                          [](const Edge& x, const Edge& y) { return x.a == y.a && x.b == y.b; }),
              edges.end());
  return edges;
}

}  // namespace coterie
