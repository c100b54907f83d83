// FedGMM (Wu et al., 2023): soft clusters of the joint distribution of inputs and labels: each has a learner
// and a Gaussian of embedded inputs (tiers/joint.cc), and a client's weights are found by expectation and
// maximisation.
//
// Choose it when clients differ in what their inputs look like, or to be told which cluster a single input
// belongs to. Where only the meaning of labels differs, the Gaussians have nothing to say: prefer fedem or
// fedrc.
#include "algorithms/tiers/parts.h"

namespace coterie {
namespace {

const Registration<Algorithm> kFedGmm{
    "fedgmm", "soft clusters by inputs and labels together: a learner and a Gaussian for each", [] {
      return make_tiered("fedgmm",
                         {.objective = "joint", .weights = "em", .adapt = "fixed", .distance = "none"});
    }};

}  // namespace
}  // namespace coterie
