// Tier 3: merging clusters that are alike (StoCFL; Zeng et al., 2023).
//
// What a client tells once, its gradient at the anchor, says how its data would change a model. Clusters
// whose clients' sums of these have a cosine of at least tau become one (math/merging.h), with the model of
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

#include "algorithms/tiers/parts.h"
#include "base/text.h"
#include "math/components.h"
#include "math/kernels.h"
#include "math/merging.h"

namespace coterie {
namespace {

class MergeAlike : public TierAdapt {
 public:
  void prepare(const TierOptions& options, const Setting&, const TierWeights& weights) override {
    tau_ = options.tau;
    membership_ = weights.rule == TierWeights::Rule::membership;
  }
  std::string distance() const override { return "anchor-gradient"; }
  std::string refuse(const TierWeights&, const TierDistance& distance) const override {
    const bool once = distance.source() == TierDistance::Source::told_once;
    return once ? "" : "merge adds up what clients tell once; use distance = \"anchor-gradient\"";
  }
  std::size_t starts(std::size_t count) const override { return membership_ ? 1 : count; }

  void enter(Clusters& clusters, std::span<const ClientId> cohort, Fleet& fleet) override {
    std::vector<ClientId> newcomers;
    for (const ClientId i : cohort) {
      if (clusters.home(i) == kUnknownCluster && !clusters.traces[i].empty()) newcomers.push_back(i);
    }
    if (membership_) merge(clusters, newcomers, fleet);
  }
  void adapt(Clusters& clusters, std::span<const Told>, const TierDistance&, Fleet& fleet,
             const Round&) override {
    if (!membership_) merge(clusters, {}, fleet);
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

  void merge(Clusters& clusters, std::span<const ClientId> newcomers, Fleet& fleet) const {
    const Candidates all = candidates(clusters, newcomers);
    const std::size_t count = all.sizes.size(), old = all.clusters.size();
    if (count == 0) return;
    const std::vector<Merge> merges =
        merge_alike({all.vectors, count, all.vectors.size() / count}, all.sizes, tau_);
    Components groups(count);
    for (const Merge& one : merges) groups.join(one.kept, one.gone);
    place(clusters, newcomers, all.clusters, groups, fleet);

    std::vector<Merge> among_old;
    for (const Merge& one : merges) {
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
      Event why{0, "merged", {}, "", {}};
      why.text = fmt::format("cluster {} joins cluster {}: their similarity is {:.3g}, tau = {:g}", one.gone,
                             one.kept, one.similarity, tau_);
      why.numbers = {
          {"cluster", one.kept}, {"gone", one.gone}, {"similarity", one.similarity}, {"tau", tau_}};
      clusters.merge(fleet, one.kept, one.gone, clusters.models[one.kept], std::move(why));
    }
  }

  // Puts newcomers into the cluster of their group, or into new ones.
  void place(Clusters& clusters, std::span<const ClientId> newcomers, std::span<const std::size_t> old,
             Components& groups, Fleet& fleet) const {
    if (newcomers.empty()) return;
    std::vector<std::size_t> free;
    for (std::size_t k = clusters.count(); k-- > 0;) {
      if (std::find(old.begin(), old.end(), k) == old.end() && nobody_in(clusters, k)) free.push_back(k);
    }
    std::vector<std::size_t> home(old.begin(), old.end());
    home.resize(old.size() + newcomers.size());
    double made = 0;
    for (std::size_t j = 0; j < newcomers.size(); ++j) {
      const auto item = static_cast<std::uint32_t>(old.size() + j);
      const std::uint32_t first = groups.find(item);
      if (first != item) {
        home[item] = home[first];
      } else if (!free.empty()) {
        home[item] = free.back();
        free.pop_back();
        clusters.models[home[item]] = clusters.global;
        made += 1;
      } else {
        home[item] = clusters.add(clusters.global);
        made += 1;
      }
      clusters.put(newcomers[j], home[item]);
    }
    fleet.report({0,
                  "joined",
                  {},
                  fmt::format("{} joined, where alike by tau = {:g}; {:g} of the clusters are new",
                              counted(newcomers.size(), "new client"), tau_, made),
                  {{"clients", static_cast<double>(newcomers.size())},
                   {"new", made},
                   {"tau", tau_},
                   {"clusters", static_cast<double>(clusters.count())}}});
  }
  static bool nobody_in(const Clusters& clusters, std::size_t k) {
    for (ClientId i = 0; i < clusters.weights.size(); ++i) {
      if (clusters.home(i) == k) return false;
    }
    return true;
  }

  double tau_ = 0;
  bool membership_ = true;
};

const Registration<TierAdapt> kMerge{
    "merge", "clusters whose clients' gradients point the same way become one (StoCFL)",
    [] { return std::make_unique<MergeAlike>(); }};

}  // namespace
}  // namespace coterie
