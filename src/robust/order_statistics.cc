#include "robust/order_statistics.h"

#include <algorithm>
#include <numeric>

#include "coterie/error.h"

namespace coterie {
namespace {

constexpr double kDust = 1e-9;  // of the weight: less than this is left of a number by rounding alone

void sort(std::span<Weighted> numbers) {
  check(!numbers.empty(), "no numbers to take the middle of");
  std::sort(numbers.begin(), numbers.end(), [](const Weighted& a, const Weighted& b) {
    return a.value < b.value || (a.value == b.value && a.weight < b.weight);
  });
}

double total_weight(std::span<const Weighted> numbers) {
  double total = 0;
  for (const Weighted& one : numbers) total += one.weight;
  return total;
}

template <class Middle>
Vec by_coordinate(const Points& points, std::span<const double> weights, Middle middle) {
  check(weights.size() == points.count, "a weight for each point");
  std::vector<Weighted> numbers(points.count);
  Vec result(points.width);
  for (std::size_t j = 0; j < points.width; ++j) {
    for (std::size_t i = 0; i < points.count; ++i) numbers[i] = {points[i][j], weights[i]};
    result[j] = middle(std::span(numbers));
  }
  return result;
}

}  // namespace

double weighted_median(std::span<Weighted> numbers) {
  sort(numbers);
  const double half = total_weight(numbers) / 2;
  double below = 0;
  for (std::size_t i = 0; i + 1 < numbers.size(); ++i) {
    below += numbers[i].weight;
    if (below == half) return std::midpoint(numbers[i].value, numbers[i + 1].value);
    if (below > half) return numbers[i].value;
  }
  return numbers.back().value;
}

double trimmed_mean(std::span<Weighted> numbers, double trim) {
  check(trim >= 0 && trim < 0.5, "a trimmed mean keeps something");
  sort(numbers);
  const double total = total_weight(numbers);
  const double low = trim * total, high = total - low;
  double below = 0, sum = 0, kept = 0;
  double least = numbers.back().value, largest = numbers.front().value;
  for (const Weighted& one : numbers) {
    const double left = std::min(below + one.weight, high) - std::max(below, low);
    below += one.weight;
    if (left <= kDust * total) continue;
    least = std::min(least, one.value);
    largest = std::max(largest, one.value);
    sum += left * one.value;
    kept += left;
  }
  return std::clamp(sum / kept, least, largest);
}

Vec coordinate_median(const Points& points, std::span<const double> weights) {
  return by_coordinate(points, weights, [](std::span<Weighted> numbers) { return weighted_median(numbers); });
}

Vec coordinate_trimmed_mean(const Points& points, std::span<const double> weights, double trim) {
  return by_coordinate(points, weights,
                       [trim](std::span<Weighted> numbers) { return trimmed_mean(numbers, trim); });
}

}  // namespace coterie
