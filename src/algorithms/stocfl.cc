// StoCFL (Zeng et al., 2023): every client begins alone; clusters whose clients' gradients at one and the
// same model point the same way are merged (tiers/merge.cc), and their models are trained with a pull towards
// the mean of all.
//
// Choose it when the number of clusters is not known and few clients take part in a round: a client is placed
// once, by what training changes at an anchor. [clusters] count is not read.
//
// Differs from the paper, where nothing else is asked for: everybody begins in one cluster, whose model
// becomes the anchor after some rounds, and the groups that changes from there fall into become clusters
// (tiers/group.cc). With rule = "paper", or tau, it is the paper's: tau is a cosine, and larger values leave
// more clusters.
//
// Differs from the paper: the model that training is pulled to (prox) is the mean of what all clients of a
// round trained (by another rule of [aggregate]: its combination of the clusters' models), as in HCFL's
// experiments; there, it is trained by itself, one client after the other.
#include "algorithms/tiers/parts.h"

namespace coterie {
namespace {

const Registration<Algorithm> kStoCfl{
    "stocfl", "clients begin alone; clusters with alike gradients at an anchor merge", [] {
      TierOptions options;
      options.prox = 0.05;
      options.prox_to = "all";
      return make_tiered("stocfl",
                         {.objective = "conditional",
                          .weights = "membership",
                          .adapt = "merge",
                          .distance = "anchor-gradient"},
                         options);
    }};

}  // namespace
}  // namespace coterie
