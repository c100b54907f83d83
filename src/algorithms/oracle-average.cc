// Oracle averaging: every client sends the model that fits its own data best, and those of a true cluster get
// the mean of theirs. One round.
//
// It is told who belongs to which, so it is the bound of methods that cluster such models (ODCL, section 5),
// not a method. All clients count alike, as in the paper. Where rounds ask a part of the clients, the means
// are those of the last cohort.
#include "algorithms/known/method.h"

namespace coterie {
namespace {

const Registration<Algorithm> kOracleAverage{
    "oracle-average", "the mean of the clients' own models inside each true cluster, in one round",
    [] { return std::make_unique<KnownClustersInOneRound>(KnownClusters::truth); }};

}  // namespace
}  // namespace coterie
