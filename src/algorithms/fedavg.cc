// FedAvg (McMahan et al., 2017): one model for everybody; clients train it on their own data and the server
// takes the mean.
//
// Choose it as the baseline that ignores clusters: where clients really differ, one model serves nobody well.
#include "algorithms/known/method.h"

namespace coterie {
namespace {

class FedAvg : public KnownClustersMethod {
 public:
  FedAvg() : KnownClustersMethod(KnownClusters::one) {}
  void round(Fleet& fleet, const Round& round) override { average_trained(fleet, round); }
};

const Registration<Algorithm> kFedAvg{"fedavg", "one model for everybody, the mean of what clients train",
                                      [] { return std::make_unique<FedAvg>(); }};

}  // namespace
}  // namespace coterie
