// Threshold clustering with one centre (the Federated-Clustering paper, Algorithm 3; clustering/threshold.h):
// vectors outside a ball around the centre count as the centre itself.
//
// Choose it when a cluster may have taken in members of others, or liars that stand apart, and its own
// members are alike: with the default radius it ends at the mean of about the half of the vectors that are
// nearest to each other, and honest vectors that are far from most are left out like lies. In a step, lies at
// the edge of the ball move it by at most their share of the radius.
//
// Differs from the paper, where a client begins at its own gradient: it begins at the coordinate median, and
// goes on until the centre stays. Of two vectors it is the middle, or the one with more weight, unless a
// given radius holds both. Weights count in means, not in the quantile.
#include "clustering/threshold.h"

#include "aggregators/contributions.h"
#include "robust/order_statistics.h"

namespace coterie {
namespace {

class Threshold : public Aggregator {
 public:
  Threshold() { options_.quantile = 0.5; }
  void options(Options& o) override { options_.options(o); }
  Vec combine(std::span<const Contribution> contributions) const override {
    const Gathered all(contributions, "threshold");
    Vec start = coordinate_median(all.points(), all.weights());
    return threshold_centre(all.points(), all.weights(), std::move(start), options_).centre;
  }

 private:
  ThresholdOptions options_;
};

const Registration<Aggregator> kThreshold{"threshold",
                                          "the mean of the vectors in a ball (threshold clustering)",
                                          [] { return std::make_unique<Threshold>(); }};

}  // namespace
}  // namespace coterie
