#include "robust/krum.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "math/distances.h"
#include "math/kernels.h"

namespace coterie {
namespace {

// Scores that differ by less than this share of them may be equal: distances by products have nine digits.
constexpr double kTie = 1e-8;

// The score of point i, given its squared distances to all points.
double score_of(std::size_t i, std::span<const double> row, std::size_t liars, Vec& others) {
  const std::size_t needed = liars + 2;
  const std::size_t neighbours =
      std::clamp<std::size_t>(row.size() > needed ? row.size() - needed : 0, 1, row.size() - 1);
  others.assign(row.begin(), row.end());
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
  std::sort(others.begin(), others.end());
  return sum(std::span<const double>(others).first(neighbours));
}

// The same from plain differences, each of which depends on its two points alone: points that are equally
// good by these have equal scores, wherever they stand and whatever the others' mean is.
double plain_score(const Points& points, std::size_t i, std::size_t liars, Vec& others) {
  Vec row(points.count);
  for (std::size_t j = 0; j < points.count; ++j) row[j] = squared_distance(points[i], points[j]);
  return score_of(i, row, liars, others);
}

}  // namespace

Vec krum_scores(const Points& points, std::size_t liars) {
  Vec scores(points.count, 0.0);
  if (points.count < 2) return scores;
  Vec others;
  for_each_distance_row(points, [&](std::size_t i, std::span<const double> row) {
    scores[i] = score_of(i, row, liars, others);
  });
  return scores;
}

std::vector<std::size_t> krum_order(const Points& points, std::size_t liars) {
  require_finite(points, "Krum");
  Vec scores = krum_scores(points, liars), others;
  std::vector<std::size_t> order(points.count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto better = [&](std::size_t a, std::size_t b) { return scores[a] < scores[b]; };
  std::stable_sort(order.begin(), order.end(), better);
  for (auto begin = order.begin(); begin != order.end();) {
    auto end = std::next(begin);
    while (end != order.end() && scores[*end] - scores[*std::prev(end)] <= kTie * scores[*end]) ++end;
    if (end - begin > 1) {
      for (auto one = begin; one != end; ++one) scores[*one] = plain_score(points, *one, liars, others);
      std::sort(begin, end);
      std::stable_sort(begin, end, better);
    }
    begin = end;
  }
  return order;
}

}  // namespace coterie
