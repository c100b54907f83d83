// FedRC (Guo et al., 2023): FedEM on the correlation of inputs and labels, L_k = P_k(y given x) / P_k(y), so
// that clusters part clients by concept and not by which labels they have.
//
// Choose it when clients differ in their labels' frequencies or in their inputs as well, and only a change of
// the concept should part them, and the number of clusters is known. It begins with one cluster, which is
// divided into clusters.count parts once its clients pull apart (tiers/divide.cc), over a shared extractor,
// with heads averaged by responsibility: from K random models, as in the paper (rule = "paper", extractor =
// false), it often ends in one. How P_k(y) is found, and where public code differs, is told in
// tiers/objectives.cc.
#include "algorithms/tiers/parts.h"

namespace coterie {
namespace {

const Registration<Algorithm> kFedRc{
    "fedrc", "fedem that divides by the labels' frequencies: parts concepts, not label mixes", [] {
      TierOptions options;
      options.extractor = true;
      return make_tiered("fedrc", {"correlation", "em", "divide", "local-change"}, options);
    }};

}  // namespace
}  // namespace coterie
