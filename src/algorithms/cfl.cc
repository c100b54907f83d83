// CFL (Sattler, Müller and Samek, 2020): everybody begins in one cluster; a cluster whose clients pull in
// different directions splits in two, and splits again (tiers/splits.cc has the rule).
//
// Choose it when the number of clusters is not known, clients differ in what labels mean, and all take part
// in most rounds. eps1 and eps2 are lengths of updates, so they depend on model, step size and local epochs:
// look at mean_update and longest_update in events.jsonl, and raise eps1 until it splits.
//
// [clusters] count is not read: training begins with one cluster, whatever it says.
#include "algorithms/tiers/parts.h"

namespace coterie {
namespace {

const Registration<Algorithm> kCfl{"cfl", "clusters split where clients' updates pull apart", [] {
                                     return make_tiered("cfl", {.objective = "conditional",
                                                                .weights = "membership",
                                                                .adapt = "split-cfl",
                                                                .distance = "gradient-cosine"});
                                   }};

}  // namespace
}  // namespace coterie
