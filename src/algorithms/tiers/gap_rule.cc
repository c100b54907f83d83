#include "algorithms/tiers/gap_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "clustering/gap_parts.h"
#include "coterie/error.h"

namespace coterie {
namespace {

// Groups of clients, with sums over the known pairs between them.
class MaskedLinkage {
 public:
  MaskedLinkage(std::span<const double> distances, std::size_t count)
      : count_(count), sums_(count * count, 0.0), known_(count * count, 0.0) {
    for (std::uint32_t i = 0; i < count; ++i) {
      groups_.push_back({i});
      for (std::size_t j = 0; j < count; ++j) {
        if (i == j || std::isnan(distances[i * count + j])) continue;
        sums_[i * count + j] = distances[i * count + j];
        known_[i * count + j] = 1;
      }
    }
  }
  const std::vector<std::vector<std::uint32_t>>& groups() const { return groups_; }
  // Infinite where no pair is known.
  double between(std::size_t a, std::size_t b) const {
    const double pairs = known_[a * count_ + b];
    return pairs > 0 ? sums_[a * count_ + b] / pairs : std::numeric_limits<double>::infinity();
  }
  // Joins the second of these groups to the first; its place stays, empty.
  void join(std::size_t a, std::size_t b) {
    groups_[a].insert(groups_[a].end(), groups_[b].begin(), groups_[b].end());
    groups_[b].clear();
    for (std::size_t j = 0; j < count_; ++j) {
      for (Vec* all : {&sums_, &known_}) {
        (*all)[a * count_ + j] += (*all)[b * count_ + j];
        (*all)[j * count_ + a] = (*all)[a * count_ + j];
      }
    }
  }
  // The nearest two groups, the first of equals.
  std::pair<std::size_t, std::size_t> nearest() const {
    std::pair<std::size_t, std::size_t> best{count_, count_};
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t a = 0; a < count_; ++a) {
      for (std::size_t b = a + 1; b < count_ && !groups_[a].empty(); ++b) {
        if (groups_[b].empty() || (best.first < count_ && !(between(a, b) < least))) continue;
        best = {a, b};
        least = between(a, b);
      }
    }
    return best;
  }

 private:
  std::size_t count_;
  Vec sums_, known_;
  std::vector<std::vector<std::uint32_t>> groups_;
};

// Means over the known pairs inside parts and between them.
void measure(std::span<const double> distances, std::size_t count, MaskedParts& of) {
  double inside = 0, outside = 0, pairs_inside = 0, pairs_outside = 0;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double distance = distances[i * count + j];
      if (std::isnan(distance)) continue;
      const bool same = of.parts[i] == of.parts[j];
      (same ? inside : outside) += distance;
      (same ? pairs_inside : pairs_outside) += 1;
    }
  }
  of.within = pairs_inside > 0 ? inside / pairs_inside : 0;
  of.across = pairs_outside > 0 ? outside / pairs_outside : 0;
}

GapSplit by_eigenvalues(const TierOptions& options, Vec distances, std::size_t count, Stream& stream) {
  for (double& value : distances) value = 1 - value;
  const GapParts found = gap_parts(distances, count, options.least_gap, stream);
  GapSplit out;
  if (found.count > 1) out.parts = found.labels;
  out.text = fmt::format(
      "eigenvalues fall by a factor of {:.3g} from groups to noise (least_gap = {:g}), groups pull {:.3g} "
      "apart, everybody "
      "{:.3g} together",
      found.gap, options.least_gap, found.apart, found.together);
  out.numbers = {{"gap", found.gap}, {"apart", found.apart}, {"together", found.together}};
  return out;
}

}  // namespace

MaskedParts masked_parts(std::span<const double> distances, std::size_t count) {
  check(distances.size() == count * count, "distances that do not fit their count");
  MaskedLinkage linkage(distances, count);
  std::vector<std::vector<std::uint32_t>> two;  // the last two groups of two or more that met
  for (std::size_t left = count; left > 1; --left) {
    const auto [a, b] = linkage.nearest();
    if (linkage.groups()[a].size() > 1 && linkage.groups()[b].size() > 1) {
      two = {linkage.groups()[a], linkage.groups()[b]};
    }
    linkage.join(a, b);
  }
  MaskedParts out;
  if (two.empty()) return out;
  std::vector<std::uint32_t> parts(count, 2);
  for (std::uint32_t side = 0; side < 2; ++side) {
    for (const std::uint32_t i : two[side]) parts[i] = side;
  }
  out.parts = parts;
  for (std::size_t i = 0; i < count; ++i) {
    if (parts[i] < 2) continue;
    double sum[2] = {0, 0}, known[2] = {0, 0};
    for (std::size_t j = 0; j < count; ++j) {
      if (parts[j] == 2 || std::isnan(distances[i * count + j])) continue;
      sum[parts[j]] += distances[i * count + j];
      known[parts[j]] += 1;
    }
    const auto mean = [&](int side) {
      return known[side] > 0 ? sum[side] / known[side] : std::numeric_limits<double>::infinity();
    };
    out.parts[i] = mean(1) < mean(0) ? 1 : 0;
  }
  if (out.parts[0] == 1) {
    for (std::uint32_t& part : out.parts) part = 1 - part;
  }
  measure(distances, count, out);
  return out;
}

GapSplit gap_split(const TierOptions& options, const TierDistance& distance, Vec distances, std::size_t count,
                   Stream& stream) {
  if (distance.of_vectors()) return by_eigenvalues(options, std::move(distances), count, stream);
  const MaskedParts found = masked_parts(distances, count);
  GapSplit out;
  if (found.across > 0 && found.across >= options.least_ratio * found.within) out.parts = found.parts;
  out.text = fmt::format("its halves are {:.3g} apart on average and {:.3g} wide (least_ratio = {:g})",
                         found.across, found.within, options.least_ratio);
  out.numbers = {{"within", found.within}, {"across", found.across}};
  return out;
}

}  // namespace coterie
