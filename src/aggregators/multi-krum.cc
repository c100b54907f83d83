// Multi-Krum (Blanchard, El Mhamdi, Guerraoui and Stainer, 2017): the weighted mean of the vectors that Krum
// likes best.
//
// Choose it when liars stand apart from everybody else and the honest are alike: it then is the mean of the
// honest. Lies that hide within the honest spread pass. Of two vectors it is the mean.
//
// Weights are ignored in the choice, for Krum's reason, and count in the mean.
#include <algorithm>

#include "aggregators/contributions.h"
#include "robust/krum.h"

namespace coterie {
namespace {

class MultiKrum : public Aggregator {
 public:
  void options(Options& o) override {
    declare_liars(o, liars_);
    o("keep", &keep_, "how many vectors are averaged at most; default: all but the liars", at_least(1));
  }
  std::size_t copies() const override { return 2; }  // distances are those around the mean
  Vec combine(std::span<const Contribution> contributions) const override {
    const Gathered all(contributions, "multi-krum");
    const std::size_t liars = liars_among(contributions.size(), liars_);
    std::vector<std::size_t> order = krum_order(all.points(), liars);
    std::size_t kept = order.size() - liars;
    if (keep_) kept = std::min(kept, static_cast<std::size_t>(*keep_));
    // Differences to the best one, so that equal vectors give that vector to the bit.
    Vec mean = contributions[order[0]].values;
    double total = 0;
    for (std::size_t i = 0; i < kept; ++i) total += all.weights()[order[i]];
    Vec shares(order.size(), 0.0);
    for (std::size_t i = 0; i < kept; ++i) shares[order[i]] = all.weights()[order[i]] / total;
    add_differences(all.points(), shares, all.points()[order[0]], mean);
    return mean;
  }

 private:
  double liars_ = 0.2;
  std::optional<std::int64_t> keep_;
};

const Registration<Aggregator> kMultiKrum{"multi-krum", "the mean of the vectors that have others near them",
                                          [] { return std::make_unique<MultiKrum>(); }};

}  // namespace
}  // namespace coterie
