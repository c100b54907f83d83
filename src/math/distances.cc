#include "math/distances.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "coterie/error.h"
#include "math/gemm.h"
#include "math/kernels.h"

namespace coterie {
namespace {

constexpr std::size_t kNumbers = std::size_t{1} << 20;  // of the matrix, that are made at a time
constexpr double kNear = 1e-6;      // of the squared lengths: below, a product has lost too many digits
constexpr double kLargest = 1e290;  // squared length of a point: sums over all points stay finite

}  // namespace

void for_each_distance_row(const Points& points,
                           const std::function<void(std::size_t, std::span<const double>)>& visit) {
  const std::size_t count = points.count, width = points.width;
  // Around their mean, points are shorter and products lose less.
  Vec mean(width, 0.0);
  for (std::size_t i = 0; i < count; ++i) add_scaled(1.0, points[i], mean);
  scale(1.0 / static_cast<double>(count), mean);
  Vec centred(points.values.begin(), points.values.end());
  Vec norms(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::span<double> point = std::span(centred).subspan(i * width, width);
    add_scaled(-1.0, mean, point);
    norms[i] = squared_norm(std::span<const double>(point));
  }
  const std::size_t block = std::clamp<std::size_t>(kNumbers / count, 1, count);
  Vec products(block * count);
  for (std::size_t first = 0; first < count; first += block) {
    const std::size_t rows = std::min(block, count - first);
    multiply(Matrix<const double>(centred.data() + first * width, rows, width),
             Matrix<const double>(centred.data(), count, width).transposed(),
             Matrix<double>(products.data(), rows, count));
    for (std::size_t i = first; i < first + rows; ++i) {
      std::span<double> row = std::span(products).subspan((i - first) * count, count);
      for (std::size_t j = 0; j < count; ++j) row[j] = (norms[i] + norms[j]) - 2 * row[j];
      for (std::size_t j = 0; j < count; ++j) {
        if (row[j] < kNear * (norms[i] + norms[j])) row[j] = squared_distance(points[i], points[j]);
      }
      visit(i, row);
    }
  }
}

Vec distances_to(const Points& points, std::span<const double> z) {
  Vec distances(points.count);
  for (std::size_t i = 0; i < points.count; ++i) distances[i] = std::sqrt(squared_distance(points[i], z));
  return distances;
}

void add_differences(const Points& points, std::span<const double> factors, std::span<const double> z,
                     std::span<double> y) {
  for (std::size_t i = 0; i < points.count; ++i) {
    if (factors[i] == 0) continue;
    const std::span<const double> x = points[i];
    for (std::size_t j = 0; j < points.width; ++j) y[j] += factors[i] * (x[j] - z[j]);
  }
}

void require_finite(const Points& points, std::string_view who) {
  check(points.count > 0 && points.width > 0 && points.values.size() == points.count * points.width,
        "points that do not fit their count and width");
  for (std::size_t i = 0; i < points.count; ++i) {
    if (squared_norm(points[i]) < kLargest) continue;  // NaN is not
    throw Error(std::string(who) + ": point " + std::to_string(i) +
                " has coordinates that are not finite, or too large to be squared; leave it out");
  }
}

}  // namespace coterie
