// HCFL, the naive integration (Guo et al., 2025, Algorithm 1): a backbone's objective and weights, with CFL's
// splitting by the directions of the clients' updates, on whole models. CFL removes no cluster, so neither
// does this: lines 13 to 15 of Algorithm 1 have nothing to do.
//
//   backbone   objective     weights
//   fedem      conditional   em
//   fedrc      correlation   em
//   fesem      conditional   nearest-parameters
//   fedsoft    conditional   loss-counts, prox = 0.1
//
// Choose it as the baseline of hcfl-plus, which improves each tier.
#include "algorithms/tiers/backbone.h"

namespace coterie {
namespace {

// CFL's distances know no weights of pairs.
TierOptions unweighted() {
  TierOptions options;
  options.pair_weights = false;
  return options;
}

class Hcfl : public OnBackbone {
 public:
  Hcfl() : OnBackbone("hcfl", {"conditional", "em", "split-cfl", "gradient-cosine"}, unweighted(), "fedem") {}

  void choose_parts() override {
    if (backbone_ == "fedrc") choice_.objective = "correlation";
    if (backbone_ == "fesem") choice_.weights = "nearest-parameters";
    if (backbone_ == "fedsoft") choice_.weights = "loss-counts";
  }
};

const Registration<Algorithm> kHcfl{"hcfl", "a method with soft or hard clusters that split as CFL's do",
                                    [] { return std::make_unique<Hcfl>(); }};

}  // namespace
}  // namespace coterie
