// Tier 3: splitting clusters in two, or in as many parts as there are groups.
//
//   split-cfl    CFL (Sattler, Müller and Samek, 2020): where the average of a cluster's updates is short but
//                some client's is long, its clients pull in different directions:
//                  |mean_i u_i| < eps1  and  max_i |u_i| > eps2
//                Parts by complete linkage of the distances. Needs more than two clients.
//   split-icfl   ICFL (Yan, Tong and Wang, 2023): where the similarities have less coherence than a bar that
//                rises from round to round (coherence.h). Parts by 2-means on the leading plane.
//
// These thresholds are those of rule = "paper". eps1 and eps2 are lengths, right for one model and step size,
// and ICFL's bar rises to 1, so that in the end every client is alone. By the gap (gap_parts.h), the default
// of both, a cluster is looked at every look_every rounds, and splits where its clients fall into groups,
// into all of them at once; ICFL's bar has to be passed too.
//
// What would have been needed is told in rounds 1, 2, 4, 8 ..., by the gap at each look (events `whole`):
// thresholds are found so.
//
// A split replaces the cluster's model by the means of its parts, of what they trained in this round.
//
// Who was not asked: with soft weights they follow the split like all others. With hard ones nothing is known
// of where they belong, so they choose the model of the lowest loss at their next turn. ICFL's authors keep a
// reservoir cluster for clients that were never asked; here such clients choose by loss too, and K counts no
// reservoir.
//
// Right where public code is not: parts are sets of client ids (from the second split on, the code of CFL and
// its ports takes positions inside the parent cluster for ids); the largest update is the largest L2 norm (a
// port compares the largest coordinate of all); ICFL's plane has the leading columns (the code takes rows).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "algorithms/tiers/bipartition.h"
#include "algorithms/tiers/coherence.h"
#include "algorithms/tiers/gap_rule.h"
#include "algorithms/tiers/parts.h"
#include "math/kernels.h"

namespace coterie {
namespace {

class Split : public TierAdapt {
 public:
  void prepare(const TierOptions& options, const Setting& setting, const TierWeights& weights) override {
    options_ = &options;
    setting_ = &setting;
    membership_ = weights.rule == TierWeights::Rule::membership;
  }
  std::string distance() const override { return "gradient-cosine"; }
  bool keeps_models() const override { return true; }
  bool looks(const Round& round) const override {
    return !options_->gap || round.number % static_cast<std::uint32_t>(options_->look_every) == 0;
  }
  // Where the server says who is where, everybody begins in one cluster.
  std::size_t starts(std::size_t count) const override { return membership_ ? 1 : count; }

  // Each cluster may split once.
  void adapt(Clusters& clusters, std::span<const Told> told, const TierDistance& distance, Fleet& fleet,
             const Round& round) override {
    if (!looks(round)) return;
    const std::size_t count = clusters.count();
    for (std::size_t k = 0; k < count && clusters.count() < static_cast<std::size_t>(options_->most); ++k) {
      const std::vector<const Told*> members = clusters.members(told, k);
      if (members.size() < 2) continue;
      Event why{0, "split", {}, "", {}};
      number(why, "cluster", static_cast<double>(k));
      const std::vector<std::uint32_t> parts = options_->gap
                                                   ? divide_by_gap(clusters, members, k, distance, round, why)
                                                   : divide(clusters, members, k, distance, round, why);
      if (std::count(parts.begin(), parts.end(), 0u) < static_cast<std::ptrdiff_t>(parts.size())) {
        clusters.divide_into(fleet, *setting_, k, members, parts, why);
      } else if (options_->gap && !why.text.empty()) {
        why.kind = "whole";
        fleet.report(std::move(why));
      } else {
        report_unchanged(fleet, round, "whole", std::move(why));
      }
    }
  }

 protected:
  // The part of each member, from 0; nothing when the cluster is to stay whole; says why in either case.
  virtual std::vector<std::uint32_t> divide(const Clusters& clusters, std::span<const Told* const> members,
                                            std::size_t k, const TierDistance& distance, const Round& round,
                                            Event& why) const = 0;
  // Whether what else the method asks for holds, by the gap.
  virtual bool also(std::span<const double> distances, std::size_t count, const Round& round,
                    Event& why) const {
    (void)distances;
    (void)count;
    (void)round;
    (void)why;
    return true;
  }
  static void number(Event& why, const char* name, double value) { why.numbers.emplace_back(name, value); }
  Stream stream(const Round& round, std::size_t k) const {
    return Stream(setting_->seed, {Purpose::server, round.number, 0, static_cast<std::uint32_t>(k)});
  }

  const TierOptions* options_ = nullptr;
  const Setting* setting_ = nullptr;

 private:
  std::vector<std::uint32_t> divide_by_gap(const Clusters& clusters, std::span<const Told* const> members,
                                           std::size_t k, const TierDistance& distance, const Round& round,
                                           Event& why) const {
    const std::size_t count = members.size();
    const Vec distances = distance.matrix(members, k, clusters.sent);
    Stream draws = stream(round, k);
    GapSplit found = gap_split(*options_, distance, distances, count, draws);
    for (const auto& [name, value] : found.numbers) why.numbers.emplace_back(name, value);
    const bool others = also(distances, count, round, why);
    if (!others || clusters.count() + parts_of(found.parts) > static_cast<std::size_t>(options_->most) + 1) {
      found.parts.clear();
    }
    why.text = fmt::format("cluster {} {}: {}{}", k, found.parts.empty() ? "stays whole" : "splits",
                           found.text, why.text);
    return found.parts;
  }
  static std::size_t parts_of(std::span<const std::uint32_t> parts) {
    return parts.empty() ? 1 : 1 + *std::max_element(parts.begin(), parts.end());
  }

  bool membership_ = true;
};

class SplitCfl : public Split {
 protected:
  std::vector<std::uint32_t> divide(const Clusters& clusters, std::span<const Told* const> members,
                                    std::size_t k, const TierDistance& distance, const Round& round,
                                    Event& why) const override {
    if (members.size() <= 2 || round.number <= static_cast<std::uint32_t>(options_->split_after)) return {};
    const double eps1 = options_->eps1.value_or(0.4), eps2 = options_->eps2.value_or(1.6);
    Vec mean(members[0]->stepped(k).size(), 0.0);
    double largest = 0, total = 0;
    for (const Told* one : members) {
      const Vec change = update(*one, k, clusters.sent);
      largest = std::max(largest, std::sqrt(squared_norm(std::span<const double>(change))));
      add_scaled(one->weight, change, mean);
      total += one->weight;
    }
    const double average = std::sqrt(squared_norm(std::span<const double>(mean))) / total;
    const bool splits = average < eps1 && largest > eps2;
    why.text = fmt::format(
        "cluster {} {}: its mean update is {:.3g} long (eps1 = {:g}), the longest {:.3g} (eps2 = {:g})", k,
        splits ? "splits" : "stays whole", average, eps1, largest, eps2);
    number(why, "mean_update", average);
    number(why, "eps1", eps1);
    number(why, "longest_update", largest);
    number(why, "eps2", eps2);
    if (!splits) return {};
    const Bipartition parts = bipartition(distance.matrix(members, k, clusters.sent), members.size());
    number(why, "distance_within", parts.within);
    number(why, "distance_across", parts.across);
    return parts.parts;
  }
};

class SplitIcfl : public Split {
 public:
  std::string refuse(const TierWeights&, const TierDistance& distance) const override {
    return distance.is_dissimilarity() ? ""
                                       : "split-icfl looks at similarities, and this distance is not 1 - one";
  }

 protected:
  std::vector<std::uint32_t> divide(const Clusters& clusters, std::span<const Told* const> members,
                                    std::size_t k, const TierDistance& distance, const Round& round,
                                    Event& why) const override {
    const std::size_t count = members.size();
    Vec similarities = distance.matrix(members, k, clusters.sent);
    for (double& value : similarities) value = 1 - value;
    const auto [found, bar] = coherences(similarities, count, round, why);
    why.text = fmt::format("cluster {} {}: its coherence is {:.3g}, and round {} wants {:.3g}", k,
                           found < bar ? "splits" : "stays whole", found, round.number, bar);
    if (!(found < bar)) return {};
    Stream draws = stream(round, k);
    return coherent_parts(similarities, count, draws);
  }
  bool also(std::span<const double> distances, std::size_t count, const Round& round,
            Event& why) const override {
    Vec cosines(distances.begin(), distances.end());
    for (double& value : cosines) value = 1 - value;
    const auto [found, bar] = coherences(cosines, count, round, why);
    why.text = fmt::format("; its coherence is {:.3g}, and round {} wants {:.3g}", found, round.number, bar);
    return found < bar;
  }

 private:
  // That of the similarities, and the one that is wanted.
  std::pair<double, double> coherences(std::span<const double> similarities, std::size_t count,
                                       const Round& round, Event& why) const {
    const double found = coherence(similarities, count);
    const double bar =
        coherence_bar(round.number, options_->alpha.value_or(0.85), options_->slope.value_or(4));
    number(why, "coherence", found);
    number(why, "wanted", bar);
    return {found, bar};
  }
};

const Registration<TierAdapt> kCfl{"split-cfl",
                                   "a cluster splits where its clients pull apart in groups (CFL)",
                                   [] { return std::make_unique<SplitCfl>(); }};
const Registration<TierAdapt> kIcfl{
    "split-icfl", "a cluster splits when its updates are less coherent than a bar that rises (ICFL)",
    [] { return std::make_unique<SplitIcfl>(); }};

}  // namespace
}  // namespace coterie
