// The rules of tier 2. What they do is in client.h (at a client) and program.h (at the server).
#include "algorithms/tiers/parts.h"

namespace coterie {
namespace {

using Rule = TierWeights::Rule;

auto make(Rule rule) {
  return [rule] { return std::make_unique<TierWeights>(rule); };
}

const Registration<TierWeights> kLowestLoss{
    "lowest-loss", "all on the model with the lowest loss at the client (IFCA)", make(Rule::lowest_loss)};
const Registration<TierWeights> kNearest{
    "nearest-parameters", "all on the model nearest to what the client trained, found by the server (FeSEM)",
    make(Rule::nearest_parameters)};
const Registration<TierWeights> kMembership{
    "membership", "all on the cluster that the server has put the client in (CFL, StoCFL)",
    make(Rule::membership)};
const Registration<TierWeights> kEm{
    "em", "expectation and maximisation, one weight for each client and cluster (FedEM)", make(Rule::em)};
const Registration<TierWeights> kLossCounts{
    "loss-counts", "the share of its samples that each model fits best, with a model of its own (FedSoft)",
    make(Rule::loss_counts)};
const Registration<TierWeights> kSampleSoft{
    "sample-soft",
    "expectation and maximisation with weights for each sample, held near the client's by mu (HCFL+)",
    make(Rule::sample_soft)};

}  // namespace
}  // namespace coterie
