// The oracle: FedAvg inside each true cluster. It is told who belongs to which, so it is the bound that every
// clustered method is measured against, not a method.
//
// divisor = "cohort" is the bound for FedMD's Phase 2 (ifca with average = "changes"): every client counts in
// every average, so a model goes only its cluster's share of the way to the mean.
#include "algorithms/known/method.h"
#include "coterie/methods/train.h"

namespace coterie {
namespace {

class Oracle : public KnownClustersMethod {
 public:
  Oracle() : KnownClustersMethod(KnownClusters::truth) {}
  void options(Options& o) override {
    o.choice("divisor", divisor_, {"cluster", "cohort"},
             "a model becomes the mean of its cluster's clients, or goes their share of the cohort's weight "
             "towards it");
  }
  void round(Fleet& fleet, const Round& round) override {
    const std::vector<Vec> before = models_;
    average_trained(fleet, round);
    if (divisor_ == "cluster") return;
    Vec weights(models_.size(), 0.0);
    for (const ClientId i : round.cohort) weights[cluster_of(i)] += client_weight(*setting_, fleet, i);
    const double all = total_weight(*setting_, fleet, round.cohort);
    for (std::size_t k = 0; k < models_.size(); ++k) {
      const double fraction = weights[k] / all;
      for (std::size_t j = 0; j < models_[k].size() && fraction != 1; ++j) {
        models_[k][j] = before[k][j] + fraction * (models_[k][j] - before[k][j]);
      }
    }
  }

 private:
  std::string divisor_ = "cluster";
};

const Registration<Algorithm> kOracle{"oracle",
                                      "fedavg inside each true cluster: the bound for clustered methods",
                                      [] { return std::make_unique<Oracle>(); }};

}  // namespace
}  // namespace coterie
