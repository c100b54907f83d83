// CFL (Sattler, Müller and Samek, 2020): everybody begins in one cluster; a cluster whose clients pull in
// different directions splits in two, and splits again (tiers/splits.cc has the rule).
//
// Choose it when the number of clusters is not known, and all take part in most rounds. A look costs a client
// as much as anchor_rounds rounds of training, every look_every rounds: with the defaults three times the
// work of FedAvg.
//
// Differs from the paper, where nothing else is asked for: clusters split by gaps in what rounds of training
// change, and not by lengths of updates, into all groups at once. With rule = "paper", or eps1 or eps2, it is
// the paper's; these depend on model, step size and local epochs: look at mean_update and longest_update in
// events.jsonl, and raise eps1 until it splits.
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
