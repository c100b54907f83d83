#include "data/apportion.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "coterie/error.h"

namespace coterie {

std::vector<std::size_t> apportion(std::size_t total, std::span<const double> weights) {
  double sum = 0;
  for (double weight : weights) sum += weight;
  check(sum > 0, "apportion needs a positive weight");
  std::vector<std::size_t> parts(weights.size());
  std::vector<double> remainder(weights.size());
  std::size_t given = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double exact = static_cast<double>(total) * (weights[i] / sum);
    parts[i] = std::min(static_cast<std::size_t>(exact), total - given);
    remainder[i] = exact - std::floor(exact);
    given += parts[i];
  }
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return remainder[a] > remainder[b]; });
  // Rounding can leave more than one round's worth of units, but only parts with a weight may have them.
  for (std::size_t turn = 0; given < total; ++turn) {
    const std::size_t i = order[turn % order.size()];
    if (weights[i] == 0) continue;
    ++parts[i];
    ++given;
  }
  return parts;
}

std::vector<std::uint32_t> interleave(std::span<const std::size_t> counts) {
  const auto total = static_cast<std::int64_t>(std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
  std::vector<std::int64_t> owed(counts.size(), 0);  // in units of 1 / total
  std::vector<std::size_t> left(counts.begin(), counts.end());
  std::vector<std::uint32_t> sequence;
  sequence.reserve(static_cast<std::size_t>(total));
  for (std::int64_t i = 0; i < total; ++i) {
    std::size_t next = counts.size();
    for (std::size_t v = 0; v < counts.size(); ++v) {
      owed[v] += static_cast<std::int64_t>(counts[v]);
      if (left[v] > 0 && (next == counts.size() || owed[v] > owed[next])) next = v;
    }
    owed[next] -= total;
    --left[next];
    sequence.push_back(static_cast<std::uint32_t>(next));
  }
  return sequence;
}

}  // namespace coterie
