#include "run/posterior.h"

#include <algorithm>
#include <cmath>

namespace coterie {

Vec posterior(std::span<const double> costs, std::span<const double> sizes, double temperature) {
  constexpr double kHalf = 0.5;
  const std::size_t clusters = sizes.size();
  double lowest = std::numeric_limits<double>::infinity();
  for (const double cost : costs) {
    if (std::isfinite(cost)) lowest = std::min(lowest, cost);
  }
  Vec shares(clusters);
  double sum = 0;
  for (std::size_t k = 0; k < clusters; ++k) {
    const bool any = std::isfinite(lowest);
    const double fit = !any ? 1 : std::isfinite(costs[k]) ? std::exp((lowest - costs[k]) / temperature) : 0;
    shares[k] = (sizes[k] + kHalf) * fit;
    sum += shares[k];
  }
  for (double& share : shares) share /= sum;
  return shares;
}

double natural_temperature(Task task, std::span<const HeldOut> clients) {
  if (task == Task::classification) return 1;
  double cost = 0, rows = 0;
  for (const HeldOut& one : clients) {
    if (!std::isfinite(one.costs[one.cluster])) continue;
    cost += one.costs[one.cluster];
    rows += one.rows;
  }
  return cost > 0 ? 2 * cost / rows : 1;
}

double fit_temperature(std::span<const HeldOut> clients, std::span<const double> sizes, double natural) {
  const auto merit = [&](double log_ratio) {
    double sum = -log_ratio * log_ratio / 2;
    for (const HeldOut& one : clients) {
      if (one.rows == 0) continue;
      const double share = posterior(one.costs, sizes, natural * std::exp(log_ratio))[one.cluster];
      sum += std::log(std::max(share, 1e-300));
    }
    return sum;
  };
  // A grid first: far from the top the merit is flat.
  constexpr double kLowest = -7, kHighest = 14, kStep = 0.5;
  double best = 0, highest = merit(0);
  for (double at = kLowest; at <= kHighest; at += kStep) {
    if (const double here = merit(at); here > highest) {
      highest = here;
      best = at;
    }
  }
  double low = best - kStep, high = best + kStep;
  constexpr double kGolden = 0.6180339887498949;
  for (int step = 0; step < 40; ++step) {
    const double left = high - kGolden * (high - low), right = low + kGolden * (high - low);
    if (merit(left) > merit(right)) {
      high = right;
    } else {
      low = left;
    }
  }
  return natural * std::exp((low + high) / 2);
}

}  // namespace coterie
