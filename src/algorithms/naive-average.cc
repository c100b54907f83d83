// Naive averaging: every client sends the model that fits its own data best, and all get the mean of them.
// One round.
//
// Choose it as the baseline that looks away from clusters (ODCL, section 5); where there are none, it is
// one-shot averaging. All clients count alike, as in the paper. Where rounds ask a part of the clients, the
// mean is that of the last cohort.
#include "algorithms/known/method.h"

namespace coterie {
namespace {

const Registration<Algorithm> kNaiveAverage{
    "naive-average", "one model: the mean of the clients' own, in one round",
    [] { return std::make_unique<KnownClustersInOneRound>(KnownClusters::one); }};

}  // namespace
}  // namespace coterie
