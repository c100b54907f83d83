// Tier 3: splitting clusters in two.
//
//   split-cfl    CFL (Sattler, Müller and Samek, 2020): where the average of a cluster's updates is short but
//                some client's is long, its clients pull in different directions:
//                  |mean_i u_i| < eps1  and  max_i |u_i| > eps2
//                Parts by complete linkage of the distances. Needs more than two clients.
//   split-icfl   ICFL (Yan, Tong and Wang, 2023): where the similarities have less coherence than a bar that
//                rises from round to round (coherence.h). Parts by 2-means on the leading plane.
//
// What would have been needed is told in rounds 1, 2, 4, 8 ... (events `whole`): thresholds are found so.
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
  // Where the server says who is where, everybody begins in one cluster.
  std::size_t starts(std::size_t count) const override { return membership_ ? 1 : count; }

  // Each cluster may split once.
  void adapt(Clusters& clusters, std::span<const Told> told, const TierDistance& distance, Fleet& fleet,
             const Round& round) override {
    const std::size_t count = clusters.count();
    for (std::size_t k = 0; k < count && clusters.count() < static_cast<std::size_t>(options_->most); ++k) {
      const std::vector<const Told*> members = clusters.members(told, k);
      if (members.size() < 2) continue;
      Event why{0, "split", {}, "", {}};
      number(why, "cluster", static_cast<double>(k));
      const std::vector<std::uint32_t> parts = divide(clusters, members, k, distance, round, why);
      if (std::count(parts.begin(), parts.end(), 1u) > 0) {
        clusters.divide(fleet, *setting_, k, members, parts, std::move(why));
      } else {
        report_unchanged(fleet, round, "whole", std::move(why));
      }
    }
  }

 protected:
  // 0 or 1 for each member, nothing when the cluster is to stay whole; says why in either case.
  virtual std::vector<std::uint32_t> divide(const Clusters& clusters, std::span<const Told* const> members,
                                            std::size_t k, const TierDistance& distance, const Round& round,
                                            Event& why) const = 0;
  static void number(Event& why, const char* name, double value) { why.numbers.emplace_back(name, value); }

  const TierOptions* options_ = nullptr;
  const Setting* setting_ = nullptr;

 private:
  bool membership_ = true;
};

class SplitCfl : public Split {
 protected:
  std::vector<std::uint32_t> divide(const Clusters& clusters, std::span<const Told* const> members,
                                    std::size_t k, const TierDistance& distance, const Round& round,
                                    Event& why) const override {
    if (members.size() <= 2 || round.number <= static_cast<std::uint32_t>(options_->split_after)) return {};
    Vec mean(members[0]->stepped(k).size(), 0.0);
    double largest = 0, total = 0;
    for (const Told* one : members) {
      const Vec change = update(*one, k, clusters.sent);
      largest = std::max(largest, std::sqrt(squared_norm(std::span<const double>(change))));
      add_scaled(one->weight, change, mean);
      total += one->weight;
    }
    const double average = std::sqrt(squared_norm(std::span<const double>(mean))) / total;
    const bool splits = average < options_->eps1 && largest > options_->eps2;
    why.text = fmt::format(
        "cluster {} {}: its mean update is {:.3g} long (eps1 = {:g}), the longest {:.3g} (eps2 = {:g})", k,
        splits ? "splits" : "stays whole", average, options_->eps1, largest, options_->eps2);
    number(why, "mean_update", average);
    number(why, "eps1", options_->eps1);
    number(why, "longest_update", largest);
    number(why, "eps2", options_->eps2);
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
    const double found = coherence(similarities, count);
    const double bar = coherence_bar(round.number, options_->alpha, options_->slope);
    why.text = fmt::format("cluster {} {}: its coherence is {:.3g}, and round {} wants {:.3g}", k,
                           found < bar ? "splits" : "stays whole", found, round.number, bar);
    number(why, "coherence", found);
    number(why, "wanted", bar);
    if (!(found < bar)) return {};
    Stream stream(setting_->seed, {Purpose::server, round.number, 0, static_cast<std::uint32_t>(k)});
    return coherent_parts(similarities, count, stream);
  }
};

const Registration<TierAdapt> kCfl{
    "split-cfl", "a cluster splits when its mean update is short and some client's is long (CFL)",
    [] { return std::make_unique<SplitCfl>(); }};
const Registration<TierAdapt> kIcfl{
    "split-icfl", "a cluster splits when its updates are less coherent than a bar that rises (ICFL)",
    [] { return std::make_unique<SplitIcfl>(); }};

}  // namespace
}  // namespace coterie
