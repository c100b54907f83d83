// Tier 3 of HCFL+ (Guo et al., 2025, Algorithms 2, 4 and 5): one cluster a round may split, and clusters that
// are nobody's first go.
//
//   k* = argmax_k max(D_k), D_k the distances between the clients asked whose largest weight is on k
//   split    k*, when max(D_k*) - mean(D_k*) >= rho (8), in two by complete linkage; the two models are the
//            means of what the parts trained
//   remove   each k that has no client's largest weight, by the weights before the split
//
// Soft weights follow at all clients, asked or not: halved by a split, made to sum to one by a removal. With
// hard ones the parts' members move, and members who were not asked choose by loss at their next turn.
//
// The paper's text chooses k* by the highest mean distance, its Algorithm 2 by the largest distance: the
// algorithm is followed. Differs from it: nothing is removed before half of the clients have been heard of,
// since by then nobody can know what is empty; distances are those of the clients asked, while the code keeps
// old ones of the others.
#include <fmt/format.h>

#include <algorithm>

#include "algorithms/tiers/bipartition.h"
#include "algorithms/tiers/gap_rule.h"
#include "algorithms/tiers/parts.h"
#include "base/text.h"

namespace coterie {
namespace {

constexpr std::uint32_t kBarred = 3;  // looks without a split after a removal

class SplitRemove : public TierAdapt {
 public:
  void prepare(const TierOptions& options, const Setting& setting, const TierWeights&) override {
    options_ = &options;
    barred_until_ = 0;
    rho_ = options.rho.value_or(0.3);
    setting_ = &setting;
  }
  std::string distance() const override { return "prototype-cscp"; }
  bool keeps_models() const override { return true; }
  bool looks(const Round& round) const override {
    return !options_->gap || round.number % static_cast<std::uint32_t>(options_->look_every) == 0;
  }

  std::size_t starts(std::size_t count) const override { return options_->gap ? 1 : count; }

  void adapt(Clusters& clusters, std::span<const Told> told, const TierDistance& distance, Fleet& fleet,
             const Round& round) override {
    std::size_t known = 0;
    const std::vector<std::size_t> empty = nobodys(clusters, known);
    if (options_->gap) {
      split_by_gap(clusters, told, distance, fleet, round);
    } else {
      split_widest(clusters, told, distance, fleet, round);
    }
    if (!empty.empty())
      barred_until_ = round.number + kBarred * static_cast<std::uint32_t>(options_->look_every);
    for (auto k = empty.rbegin(); k != empty.rend(); ++k) {
      Event why{0, "removed", {}, "", {}};
      why.text = fmt::format("cluster {} goes: none of {} has its largest weight there", *k,
                             counted(known, "client"));
      why.numbers = {{"cluster", static_cast<double>(*k)}, {"heard", static_cast<double>(known)}};
      clusters.remove(fleet, *k, std::move(why));
    }
  }

  void fields(Archive& a) override { a(barred_until_); }

 private:
  // By the gap every cluster may split, and none after a cluster has gone: a split that clients did not
  // follow would be made again.
  void split_by_gap(Clusters& clusters, std::span<const Told> told, const TierDistance& distance,
                    Fleet& fleet, const Round& round) const {
    if (!looks(round) || round.number < barred_until_) return;
    const std::size_t count = clusters.count();
    for (std::size_t k = 0; k < count; ++k) {
      const std::vector<const Told*> members = clusters.members(told, k);
      if (members.size() < 2) continue;
      Stream stream(setting_->seed, {Purpose::server, round.number, 0, static_cast<std::uint32_t>(k)});
      GapSplit found =
          gap_split(*options_, distance, distance.matrix(members, k, clusters.sent), members.size(), stream);
      const std::size_t parts =
          found.parts.empty() ? 1 : 1 + *std::max_element(found.parts.begin(), found.parts.end());
      const bool splits =
          parts > 1 && clusters.count() + parts - 1 <= static_cast<std::size_t>(options_->most);
      Event why{0, splits ? "split" : "whole", {}, "", {}};
      why.text = fmt::format("cluster {} {}: {}", k, splits ? "splits" : "stays whole", found.text);
      why.numbers = {{"cluster", static_cast<double>(k)}};
      why.numbers.insert(why.numbers.end(), found.numbers.begin(), found.numbers.end());
      if (splits) {
        clusters.divide_into(fleet, *setting_, k, members, found.parts, why);
      } else {
        fleet.report(std::move(why));
      }
    }
  }
  // Clusters with nobody's largest weight, ascending. Equal largest weights, as a split leaves them at
  // clients that were not asked since, count for each of them.
  static std::vector<std::size_t> nobodys(const Clusters& clusters, std::size_t& known) {
    std::vector<std::size_t> members(clusters.count(), 0), empty;
    for (ClientId i = 0; i < clusters.weights.size(); ++i) {
      const Vec& weights = clusters.weights[i];
      if (weights.empty()) continue;
      const double largest = *std::max_element(weights.begin(), weights.end());
      for (std::size_t k = 0; k < weights.size(); ++k) members[k] += weights[k] == largest ? 1 : 0;
      ++known;
    }
    if (2 * known < clusters.weights.size()) return {};
    for (std::size_t k = 0; k < members.size(); ++k) {
      if (members[k] == 0) empty.push_back(k);
    }
    return empty.size() == members.size() ? std::vector<std::size_t>() : empty;
  }

  void split_widest(Clusters& clusters, std::span<const Told> told, const TierDistance& distance,
                    Fleet& fleet, const Round& round) const {
    if (clusters.count() >= static_cast<std::size_t>(options_->most)) return;
    std::size_t widest = clusters.count();
    DistanceSpread spread_of_widest;
    Vec distances;
    for (std::size_t k = 0; k < clusters.count(); ++k) {
      const std::vector<const Told*> members = clusters.members(told, k);
      if (members.size() < 2) continue;
      Vec matrix = distance.matrix(members, k, clusters.sent);
      const DistanceSpread found = spread(matrix, members.size());
      if (widest < clusters.count() && found.largest <= spread_of_widest.largest) continue;
      widest = k;
      spread_of_widest = found;
      distances = std::move(matrix);
    }
    if (widest == clusters.count()) return;
    if (spread_of_widest.largest > 0 && spread_of_widest.excess() >= rho_) {
      split(clusters, told, widest, spread_of_widest, distances, fleet);
    } else {
      report_unchanged(fleet, round, "whole", decided(widest, spread_of_widest, "stays whole"));
    }
  }
  Event decided(std::size_t k, const DistanceSpread& found, const char* what) const {
    Event why{0, "split", {}, "", {}};
    why.text = fmt::format(
        "cluster {} {}: its largest distance {:.3g} exceeds the mean {:.3g} by {:.3g}, rho = {:g}", k, what,
        found.largest, found.mean, found.excess(), rho_);
    why.numbers = {
        {"cluster", static_cast<double>(k)}, {"largest", found.largest}, {"mean", found.mean}, {"rho", rho_}};
    return why;
  }

  void split(Clusters& clusters, std::span<const Told> told, std::size_t k, const DistanceSpread& found,
             const Vec& distances, Fleet& fleet) const {
    const std::vector<const Told*> members = clusters.members(told, k);
    const Bipartition parts = bipartition(distances, members.size());
    Event why = decided(k, found, "splits");
    why.numbers.emplace_back("distance_within", parts.within);
    why.numbers.emplace_back("distance_across", parts.across);
    clusters.divide(fleet, *setting_, k, members, parts.parts, std::move(why));
  }

  const TierOptions* options_ = nullptr;
  const Setting* setting_ = nullptr;
  double rho_ = 0.3;
  std::uint32_t barred_until_ = 0;
};

const Registration<TierAdapt> kSplitRemove{
    "split-remove", "the widest cluster splits by rule (8), those that are nobody's first go (HCFL+)",
    [] { return std::make_unique<SplitRemove>(); }};

}  // namespace
}  // namespace coterie
