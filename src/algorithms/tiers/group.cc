// Tier 3 of StoCFL by the gap: everybody begins in one cluster. Every look_every rounds the clients asked
// tell how training from the cluster's model, the anchor, changes it; where they fall into groups
// (gap_parts.h), each becomes a cluster that begins with that model. From then on the anchor stays, and a
// client that comes later tells its change once and joins the cluster whose clients' changes, added up, have
// the largest cosine with it.
//
// Choose it for StoCFL unless tau is known. What clients tell at an untrained model, as in the paper, is
// mostly which labels they have, and no cosine is right for all data; after some rounds of a common model it
// is what the labels mean to them.
//
// Needs half of all clients in one look, since groups of a few clients cannot be told from noise: with fewer
// in a round, those of the rounds from a look on are gathered until half were heard.
#include <fmt/format.h>

#include <algorithm>

#include "algorithms/tiers/parts.h"
#include "base/text.h"
#include "clustering/gap_parts.h"
#include "math/cosine.h"
#include "math/kernels.h"

namespace coterie {
namespace {

class GroupOnce : public TierAdapt {
 public:
  void prepare(const TierOptions& options, const Setting& setting, const TierWeights&) override {
    options_ = &options;
    setting_ = &setting;
    gathering_ = grouped_ = false;
    placed_.clear();
  }
  std::string distance() const override { return "anchor-gradient"; }
  std::string refuse(const TierWeights& weights, const TierDistance& distance) const override {
    if (weights.rule != TierWeights::Rule::membership)
      return "group says who is where; use weights = \"membership\"";
    const bool once = distance.source() == TierDistance::Source::told_once;
    return once ? "" : "group compares what clients tell once; use distance = \"anchor-gradient\"";
  }
  std::size_t starts(std::size_t) const override { return 1; }
  bool looks(const Round& round) const override { return grouped_ || gathering_ || renews(round); }
  bool renews(const Round& round) const override {
    return !grouped_ && !gathering_ && round.number % static_cast<std::uint32_t>(options_->look_every) == 0;
  }

  void enter(Clusters& clusters, std::span<const ClientId> cohort, Fleet& fleet,
             const Round& round) override {
    if (!looks(round)) return;
    placed_.resize(clusters.weights.size(), 0);
    if (grouped_) {
      join(clusters, cohort, fleet);
    } else {
      group(clusters, fleet, round);
    }
  }
  void adapt(Clusters&, std::span<const Told>, const TierDistance&, Fleet&, const Round&) override {}
  void fields(Archive& a) override { a(gathering_, grouped_, placed_); }

 private:
  void group(Clusters& clusters, Fleet& fleet, const Round& round) {
    std::vector<ClientId> heard;
    Vec changes;
    for (ClientId i = 0; i < clusters.traces.size(); ++i) {
      if (clusters.traces[i].empty()) continue;
      heard.push_back(i);
      changes.insert(changes.end(), clusters.traces[i].begin(), clusters.traces[i].end());
    }
    gathering_ = 2 * heard.size() < clusters.traces.size();
    if (gathering_ || heard.empty()) return;
    Stream stream(setting_->seed, {Purpose::server, round.number, 0, 0});
    const GapParts found =
        gap_parts(cosine_similarities({changes, heard.size(), changes.size() / heard.size()}), heard.size(),
                  options_->least_gap, stream);
    grouped_ = found.count > 1 && found.count <= static_cast<std::size_t>(options_->most);
    report(found, heard, grouped_, fleet);
    if (!grouped_) return;
    for (std::size_t k = 1; k < found.count; ++k) clusters.add(clusters.models[0]);
    for (std::size_t i = 0; i < heard.size(); ++i) place(clusters, heard[i], found.labels[i]);
    // Nobody knows where the others belong: they choose by their loss until they are heard.
    for (ClientId i = 0; i < placed_.size(); ++i) {
      if (placed_[i] == 0) clusters.weights[i].clear();
    }
  }
  static void report(const GapParts& found, std::span<const ClientId> heard, bool grouped, Fleet& fleet) {
    Event why{0, grouped ? "split" : "whole", {}, "", {}};
    why.text = fmt::format(
        "{} {}: changes from the anchor fall by a factor of {:.3g} from groups to noise; groups pull {:.3g} "
        "apart, "
        "everybody {:.3g} together",
        counted(heard.size(), "client"),
        grouped ? fmt::format("fall into {} clusters", found.count) : "stay together", found.gap, found.apart,
        found.together);
    why.numbers = {{"gap", found.gap},
                   {"apart", found.apart},
                   {"together", found.together},
                   {"clusters", static_cast<double>(found.count)}};
    fleet.report(std::move(why));
  }

  void join(Clusters& clusters, std::span<const ClientId> cohort, Fleet& fleet) {
    std::vector<Vec> sums(clusters.count());
    for (const ClientId i : cohort) {
      if (placed_[i] != 0 || clusters.traces[i].empty()) continue;
      if (sums[0].empty()) sums = this->sums(clusters);
      Vec cosines;
      for (const Vec& one : sums) cosines.push_back(cosine_similarity(one, clusters.traces[i]));
      const auto nearest = std::max_element(cosines.begin(), cosines.end());
      const auto k = static_cast<std::size_t>(nearest - cosines.begin());
      place(clusters, i, k);
      Event why{0,  "joined",
                {}, fmt::format("client {} joins cluster {}: similarity {:.3g}", i, k, *nearest),
                {}, {i}};
      why.numbers = {{"cluster", static_cast<double>(k)}, {"similarity", *nearest}};
      fleet.report(std::move(why));
    }
  }
  // Of the changes of each cluster's clients.
  std::vector<Vec> sums(const Clusters& clusters) const {
    std::vector<Vec> all(clusters.count());
    for (ClientId i = 0; i < placed_.size(); ++i) {
      if (placed_[i] == 0) continue;
      Vec& sum = all[clusters.home(i)];
      sum.resize(clusters.traces[i].size(), 0.0);
      add_scaled(1.0, clusters.traces[i], sum);
    }
    return all;
  }
  void place(Clusters& clusters, ClientId client, std::size_t k) {
    clusters.put(client, k);
    placed_[client] = 1;
  }

  const TierOptions* options_ = nullptr;
  const Setting* setting_ = nullptr;
  bool gathering_ = false, grouped_ = false;
  std::vector<std::uint8_t> placed_;  // by what they told
};

const Registration<TierAdapt> kGroup{
    "group", "one cluster is divided once, into the groups that changes from a common model show (StoCFL)",
    [] { return std::make_unique<GroupOnce>(); }};

}  // namespace
}  // namespace coterie
