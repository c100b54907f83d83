// ICFL (Yan, Tong and Wang, 2023): clusters split when their updates are less coherent than a bar that rises
// from round to round (tiers/splits.cc has the rule).
//
// Choose it when nothing is known of the lengths that CFL's rule needs.
//
// Differs from the paper, where nothing else is asked for: below the bar a cluster splits only where what
// rounds of training change has a gap, into all groups at once, and so it stops. With rule = "paper", or
// alpha or slope, it is the paper's: the bar rises to 1, so that in the end every cluster is a single client,
// by construction: the true clusters, if any, are found at some round, not at the last. A larger alpha raises
// the bar more slowly. Two groups whose updates are opposite lie along one direction, which counts as
// coherent: they part late, and not as they should.
#include "algorithms/tiers/parts.h"

namespace coterie {
namespace {

const Registration<Algorithm> kIcfl{"icfl",
                                    "clusters split where updates are less coherent than a rising bar; blind "
                                    "to two opposite groups: take cfl",
                                    [] {
                                      return make_tiered("icfl", {.objective = "conditional",
                                                                  .weights = "membership",
                                                                  .adapt = "split-icfl",
                                                                  .distance = "gradient-cosine"});
                                    }};

}  // namespace
}  // namespace coterie
