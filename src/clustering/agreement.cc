#include "clustering/agreement.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "clustering/matching.h"
#include "coterie/error.h"

namespace coterie {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

struct Margins {
  explicit Margins(const Contingency& table) : found(table.found, 0), truth(table.truth, 0) {
    for (std::size_t f = 0; f < table.found; ++f) {
      for (std::size_t t = 0; t < table.truth; ++t) {
        found[f] += table(f, t);
        truth[t] += table(f, t);
        total += table(f, t);
      }
    }
  }
  std::vector<double> found;
  std::vector<double> truth;
  double total = 0;
};

double pairs(const std::vector<double>& counts) {
  double sum = 0;
  for (double n : counts) sum += n * (n - 1) / 2;
  return sum;
}

double entropy(const std::vector<double>& counts, double total) {
  double sum = 0;
  for (double n : counts) {
    if (n > 0) sum -= n / total * std::log(n / total);
  }
  return sum;
}

}  // namespace

Contingency contingency(std::span<const std::uint32_t> found, std::span<const std::uint32_t> truth) {
  check(found.size() == truth.size(), "two groupings must be of the same items");
  Contingency table;
  for (std::uint32_t f : found) table.found = std::max<std::size_t>(table.found, f + std::size_t{1});
  for (std::uint32_t t : truth) table.truth = std::max<std::size_t>(table.truth, t + std::size_t{1});
  table.counts.assign(table.found * table.truth, 0);
  for (std::size_t i = 0; i < found.size(); ++i) table.counts[found[i] * table.truth + truth[i]] += 1;
  return table;
}

double adjusted_rand_index(const Contingency& table) {
  Margins margins(table);
  if (margins.total == 0) return kUndefined;
  double together = pairs(table.counts);  // in one group in both
  double found_only = pairs(margins.found) - together;
  double truth_only = pairs(margins.truth) - together;
  double apart = margins.total * (margins.total - 1) / 2 - together - found_only - truth_only;
  if (found_only == 0 && truth_only == 0) return 1;
  return 2 * (together * apart - found_only * truth_only) /
         ((together + truth_only) * (truth_only + apart) + (together + found_only) * (found_only + apart));
}

double normalized_mutual_information(const Contingency& table) {
  Margins margins(table);
  if (margins.total == 0) return kUndefined;
  double mean = (entropy(margins.found, margins.total) + entropy(margins.truth, margins.total)) / 2;
  if (mean == 0) return 1;
  double information = 0;
  for (std::size_t f = 0; f < table.found; ++f) {
    for (std::size_t t = 0; t < table.truth; ++t) {
      double n = table(f, t);
      if (n > 0)
        information +=
            n / margins.total * std::log(n * margins.total / (margins.found[f] * margins.truth[t]));
    }
  }
  return std::clamp(information / mean, 0.0, 1.0);
}

double matched_share(const Contingency& table) {
  Margins margins(table);
  if (margins.total == 0) return kUndefined;
  std::vector<double> costs(table.counts.size());
  std::transform(table.counts.begin(), table.counts.end(), costs.begin(), [](double n) { return -n; });
  return -assign_least_sum(costs, table.found, table.truth).value / margins.total;
}

}  // namespace coterie
