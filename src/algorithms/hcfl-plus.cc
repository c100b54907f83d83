// HCFL+ (Guo et al., 2025, Algorithms 2 to 5): clusters that share one feature extractor and differ in their
// heads, weights for each sample that are held near the client's, and a number of clusters that follows from
// distances between class prototypes. It stands on a backbone, whose objective and weights it takes:
//
//   backbone   objective     weights              distance         beside the defaults
//   fedrc      correlation   sample-soft          prototype-cscp   clusters are concepts
//   fedem      conditional   sample-soft          prototype-ascp   any shift parts clients
//   fesem      conditional   nearest-parameters   prototype-ascp   hard; splits move members whole
//   fedsoft    conditional   sample-soft          prototype-ascp   prox = 0.1
//
// Choose it when the number of clusters is not known, first of all methods here.
//
// Differs from the paper, where nothing else is asked for: it begins with one cluster, which splits where
// what rounds of training change has a gap (tiers/gap_rule.h; with tiers.distance = "prototype-cscp" where
// halves are far apart for their width), into all groups at once; a split makes clients' weights equal, and
// heads are averaged by responsibility. With rule = "paper", or rho, it is the paper's, with the distance
// above: rho says how far apart clients of a cluster may be, a smaller one gives more clusters, and
// clusters.count is where it begins.
//
// Where paper and public code differ, the paper is the default: mu = 0.4 for all backbones (the code has 0
// for fedem); a split halves weights (split = "reset": the client's become equal, and its samples' are
// halved, as in the code's split models); heads and extractor take their steps together, eqs. (6) and (7)
// (update = "alternating": an epoch of heads, then one of the extractor). The extractor's mean weighs clients
// as the heads' does (the code takes a plain mean).
#include "algorithms/tiers/backbone.h"

namespace coterie {
namespace {

TierOptions defaults() {
  TierOptions options;
  options.extractor = true;
  return options;
}

class HcflPlus : public OnBackbone {
 public:
  HcflPlus()
      : OnBackbone("hcfl-plus", {"correlation", "sample-soft", "split-remove", "prototype-cscp"}, defaults(),
                   "fedrc") {}

  void choose_parts() override {
    if (backbone_ != "fedrc") {
      choice_.objective = "conditional";
      choice_.distance = "prototype-ascp";
    }
    if (backbone_ == "fesem") choice_.weights = "nearest-parameters";
  }
};

const Registration<Algorithm> kHcflPlus{
    "hcfl-plus", "shared extractor, sample-wise weights, clusters that split and go by class prototypes",
    [] { return std::make_unique<HcflPlus>(); }};

}  // namespace
}  // namespace coterie
