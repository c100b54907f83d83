// FedProx (Li et al., 2020): FedAvg whose local training is held near the model it started from by a proximal
// term
//   mu/2 |w - w_global|^2 .
//
// Choose it over fedavg when clients differ or train long, so that their results drift apart. mu = 0 is
// FedAvg.
#include "algorithms/known/method.h"

namespace coterie {
namespace {

class FedProx : public KnownClustersMethod {
 public:
  FedProx() : KnownClustersMethod(KnownClusters::one) {}
  void options(Options& o) override {
    o("mu", &mu_, "strength of the proximal term; 0 is fedavg", at_least(0));
  }
  void round(Fleet& fleet, const Round& round) override { average_trained(fleet, round, mu_); }

 private:
  double mu_ = 0.1;
};

const Registration<Algorithm> kFedProx{"fedprox", "fedavg with local training held near the global model",
                                       [] { return std::make_unique<FedProx>(); }};

}  // namespace
}  // namespace coterie
