// Tier 3: merging clusters that are alike (StoCFL; Zeng et al., 2023).
//
// What a client tells once, its gradient at the anchor, says how its data would change a model. Clusters
// whose clients' sums of these have a cosine of at least tau become one (merging.h), with the model of
// the larger.
//
// With weights = "membership" everybody begins alone: a client at its first turn is a cluster of its own,
// which is merged at once, before anybody trains. A cluster that is new then begins with the mean of all
// models. With other weights (IFCA that merges) clusters are compared after each round; with soft ones by the
// clients whose first they are: by shares, clusters that clients do not tell apart yet would all be alike.
//
// Differs from the paper: all clusters are compared, and by all their members; there, only those with clients
// in this round, by these. So a cluster's vector does not change with who happens to be asked.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "algorithms/tiers/merging.h"
#include "algorithms/tiers/parts.h"
#include "base/text.h"
#include "math/components.h"
#include "math/kernels.h"

namespace coterie {
namespace {

class MergeAlike : public TierAdapt {
 public:
  void prepare(const TierOptions& options, const Setting&, const TierWeights& weights) override {
    tau_ = options.tau.value_or(0.5);
    membership_ = weights.rule == TierWeights::Rule::membership;
  }
  std::string distance() const override { return "anchor-gradient"; }
  std::string refuse(const TierWeights&, const TierDistance& distance) const override {
    const bool once = distance.source() == TierDistance::Source::told_once;
    return once ? "" : "merge adds up what clients tell once; use distance = \"anchor-gradient\"";
  }
  std::size_t starts(std::size_t count) const override { return membership_ ? 1 : count; }

  void enter(Clusters& clusters, std::span<const ClientId> cohort, Fleet& fleet,
             const Round& round) override {
    std::vector<ClientId> newcomers;
    for (const ClientId i : cohort) {
      if (clusters.home(i) == kUnknownCluster && !clusters.traces[i].empty()) newcomers.push_back(i);
    }
    if (membership_) merge(clusters, newcomers, fleet, round);
  }
  void adapt(Clusters& clusters, std::span<const Told>, const TierDistance&, Fleet& fleet,
             const Round& round) override {
    if (!membership_) merge(clusters, {}, fleet, round);
  }

 private:
  // Clusters that have members, then clients that are not in any.
  struct Candidates {
    std::vector<std::size_t> clusters;
    std::vector<std::size_t> sizes;
    Vec vectors;
  };

  static Candidates candidates(const Clusters& clusters, std::span<const ClientId> newcomers) {
    const std::size_t width = longest(clusters.traces);
    Candidates all;
    for (std::size_t k = 0; k < clusters.count(); ++k) {
      Vec sum(width, 0.0);
      std::size_t members = 0;
      for (ClientId i = 0; i < clusters.weights.size(); ++i) {
        if (clusters.traces[i].empty() || clusters.home(i) != k) continue;
        ++members;
        add_scaled(1.0, clusters.traces[i], sum);
      }
      if (members == 0) continue;
      all.clusters.push_back(k);
      all.sizes.push_back(members);
      all.vectors.insert(all.vectors.end(), sum.begin(), sum.end());
    }
    for (const ClientId i : newcomers) {
      all.sizes.push_back(1);
      all.vectors.insert(all.vectors.end(), clusters.traces[i].begin(), clusters.traces[i].end());
    }
    return all;
  }
  static std::size_t longest(const std::vector<Vec>& traces) {
    std::size_t size = 0;
    for (const Vec& one : traces) size = std::max(size, one.size());
    return size;
  }

  void merge(Clusters& clusters, std::span<const ClientId> newcomers, Fleet& fleet,
             const Round& round) const {
    const Candidates all = candidates(clusters, newcomers);
    const std::size_t count = all.sizes.size(), old = all.clusters.size();
    if (count == 0) return;
    const Merges merges = merge_alike({all.vectors, count, all.vectors.size() / count}, all.sizes, tau_);
    Components groups(count);
    for (const Merge& one : merges.all) groups.join(one.kept, one.gone);
    place(clusters, newcomers, all.clusters, groups, merges.all, fleet);

    std::vector<Merge> among_old;
    for (const Merge& one : merges.all) {
      if (one.gone >= old) continue;  // a newcomer
      const auto kept = static_cast<std::uint32_t>(all.clusters[one.kept]);
      const auto gone = static_cast<std::uint32_t>(all.clusters[one.gone]);
      if (one.model_of == one.gone) clusters.models[kept] = clusters.models[gone];
      const auto into = static_cast<std::uint32_t>(all.clusters[groups.find(one.gone)]);
      among_old.push_back({into, gone, into, one.similarity});
    }
    // From the last on, so that numbers of those before stay.
    std::sort(among_old.begin(), among_old.end(),
              [](const Merge& a, const Merge& b) { return a.gone > b.gone; });
    for (const Merge& one : among_old) {
      Event why{0, "merged", {}, "", {}, clusters.residents(one.gone)};
      why.text =
          fmt::format("cluster {} joins cluster {}: a pair of similarity {:.3g} joins them, tau = {:g}",
                      one.gone, one.kept, one.similarity, tau_);
      if (!why.clients.empty()) why.text += "; its clients: " + first_of(why.clients);
      why.numbers = {
          {"cluster", one.kept}, {"gone", one.gone}, {"similarity", one.similarity}, {"tau", tau_}};
      clusters.merge(fleet, one.kept, one.gone, clusters.models[one.kept], std::move(why));
    }
    if (merges.apart) report_apart(*merges.apart, fleet, round);
  }
  void report_apart(double similarity, Fleet& fleet, const Round& round) const {
    Event why;
    why.text = fmt::format("the clusters most alike that stay apart have similarity {:.3g}, tau = {:g}",
                           similarity, tau_);
    why.numbers = {{"similarity", similarity}, {"tau", tau_}};
    report_unchanged(fleet, round, "apart", std::move(why));
  }

  // Puts newcomers into the cluster of their group, or into new ones.
  void place(Clusters& clusters, std::span<const ClientId> newcomers, std::span<const std::size_t> old,
             Components& groups, std::span<const Merge> merges, Fleet& fleet) const {
    if (newcomers.empty()) return;
    std::vector<std::size_t> free;
    for (std::size_t k = clusters.count(); k-- > 0;) {
      if (std::find(old.begin(), old.end(), k) == old.end() && clusters.residents(k).empty())
        free.push_back(k);
    }
    std::map<std::uint32_t, Joined> joined;  // by the first item of a group
    for (std::size_t j = 0; j < newcomers.size(); ++j) {
      const auto item = static_cast<std::uint32_t>(old.size() + j);
      const std::uint32_t first = groups.find(item);
      const auto [place, fresh] = joined.try_emplace(first);
      if (fresh && first < old.size()) {
        place->second.cluster = old[first];
      } else if (fresh) {
        place->second.cluster = fresh_cluster(clusters, free);
        place->second.is_new = true;
      }
      clusters.put(newcomers[j], place->second.cluster);
      place->second.clients.push_back(newcomers[j]);
    }
    for (const Merge& one : merges) {
      if (one.gone < old.size()) continue;
      Joined& group = joined.at(groups.find(one.gone));
      group.similarity = std::min(group.similarity.value_or(1), one.similarity);
    }
    for (auto& [first, group] : joined) report(std::move(group), clusters.count(), fleet);
  }
  // A cluster that nobody is in, which begins with the mean of all models.
  static std::size_t fresh_cluster(Clusters& clusters, std::vector<std::size_t>& free) {
    if (free.empty()) return clusters.add(clusters.global);
    const std::size_t k = free.back();
    free.pop_back();
    clusters.models[k] = clusters.global;
    return k;
  }

  // Newcomers of one cluster.
  struct Joined {
    std::size_t cluster = 0;
    bool is_new = false;
    std::vector<ClientId> clients;
    std::optional<double> similarity;  // the least of those that joined them; none: a client alone
  };
  void report(Joined group, std::size_t count, Fleet& fleet) const {
    Event why{0, "joined", {}, "", {}, std::move(group.clients)};
    const bool one = why.clients.size() == 1;
    why.text =
        fmt::format("{} ({}) {}{} cluster {}", counted(why.clients.size(), "new client"),
                    first_of(why.clients), group.is_new ? "begin" : "join", one ? "s" : "", group.cluster);
    why.numbers = {{"cluster", static_cast<double>(group.cluster)}, {"new", group.is_new ? 1 : 0}};
    if (group.similarity) {
      why.text += fmt::format(": by similarities of {:.3g} or more, tau = {:g}", *group.similarity, tau_);
      why.numbers.emplace_back("similarity", *group.similarity);
    } else {
      why.text += fmt::format(": nobody is alike by tau = {:g}", tau_);
    }
    why.numbers.emplace_back("tau", tau_);
    why.numbers.emplace_back("clusters", static_cast<double>(count));
    fleet.report(std::move(why));
  }

  double tau_ = 0;
  bool membership_ = true;
};

const Registration<TierAdapt> kMerge{
    "merge", "clusters whose clients' gradients point the same way become one (StoCFL)",
    [] { return std::make_unique<MergeAlike>(); }};

}  // namespace
}  // namespace coterie
