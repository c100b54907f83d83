// Tier 3 where the number of clusters is known: everybody begins in one cluster. Every look_every rounds the
// clients asked tell how training changes its model; once groups would pull further apart than everybody
// pulls together (gap_parts.h), it is divided into clusters.count parts, and the number stays as it is.
//
// Choose it for mixtures that are told K: from K random models they often end in one cluster. With whole
// models from the start (a file, odcl) use "fixed".
#include <fmt/format.h>

#include <algorithm>

#include "algorithms/tiers/parts.h"
#include "clustering/gap_parts.h"

namespace coterie {
namespace {

class DivideOnce : public TierAdapt {
 public:
  void prepare(const TierOptions& options, const Setting& setting, const TierWeights&) override {
    options_ = &options;
    setting_ = &setting;
    divided_ = false;
  }
  std::string distance() const override { return "local-change"; }
  std::string refuse(const TierWeights&, const TierDistance& distance) const override {
    return distance.of_vectors() && distance.source() != TierDistance::Source::told_once
               ? ""
               : "divide looks at cosines of what training changes; use distance = \"local-change\"";
  }
  bool keeps_models() const override { return true; }
  std::size_t starts(std::size_t) const override { return 1; }
  bool looks(const Round& round) const override {
    return !divided_ && setting_->clusters > 1 &&
           round.number % static_cast<std::uint32_t>(options_->look_every) == 0;
  }

  void adapt(Clusters& clusters, std::span<const Told> told, const TierDistance& distance, Fleet& fleet,
             const Round& round) override {
    const std::vector<const Told*> members = clusters.members(told, 0);
    if (!looks(round) || members.size() < 2 * setting_->clusters) return;
    Vec cosines = distance.matrix(members, 0, clusters.sent);
    for (double& value : cosines) value = 1 - value;
    Stream stream(setting_->seed, {Purpose::server, round.number, 0, 0});
    const GapParts found = known_parts(cosines, members.size(), setting_->clusters, stream);
    divided_ = found.count > 1;
    Event why{0, divided_ ? "split" : "whole", {}, "", {}};
    why.text =
        fmt::format("the cluster {}: {} groups would pull {:.3g} apart, everybody {:.3g} together",
                    divided_ ? "is divided" : "stays whole", setting_->clusters, found.apart, found.together);
    why.numbers = {{"cluster", 0}, {"gap", found.gap}, {"apart", found.apart}, {"together", found.together}};
    if (divided_) {
      clusters.divide_into(fleet, *setting_, 0, members, found.labels, why);
    } else {
      fleet.report(std::move(why));
    }
  }
  void fields(Archive& a) override { a(divided_); }

 private:
  const TierOptions* options_ = nullptr;
  const Setting* setting_ = nullptr;
  bool divided_ = false;
};

const Registration<TierAdapt> kDivide{
    "divide", "one cluster is divided once, into as many parts as clusters.count says",
    [] { return std::make_unique<DivideOnce>(); }};

}  // namespace
}  // namespace coterie
