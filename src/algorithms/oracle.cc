// The oracle: FedAvg inside each true cluster. It is told who belongs to which, so it is the bound that every
// clustered method is measured against, not a method.
//
// divisor = "cohort" is the bound for FedMD's Phase 2 (ifca with average = "changes"): every client counts in
// every average, so a model goes only its cluster's share of the way to the mean.
#include "coterie/algorithm.h"

namespace coterie {
namespace {

class Oracle : public Algorithm {
 public:
  void options(Options& o) override {
    o.choice("divisor", divisor_, {"cluster", "cohort"},
             "a model becomes the mean of its cluster's clients, or goes their share of the cohort's weight "
             "towards it");
  }
  bool needs_truth() const override { return true; }
  std::size_t starts() const override { return setting_->true_clusters(); }
  std::vector<const AnyJob*> jobs() const override { return {&train_job()}; }

  void start(Fleet&, Start start) override { models_ = std::move(start.models); }
  void round(Fleet& fleet, const Round& round) override {
    const std::vector<Vec> before = models_;
    train_and_average(
        fleet, *setting_, round.cohort, [&](ClientId i) { return setting_->truth[i]; }, 0.0, models_);
    if (divisor_ == "cluster") return;
    Vec weights(models_.size(), 0.0);
    for (const ClientId i : round.cohort) weights[setting_->truth[i]] += client_weight(*setting_, fleet, i);
    const double all = total_weight(*setting_, fleet, round.cohort);
    for (std::size_t k = 0; k < models_.size(); ++k) {
      const double share = weights[k] / all;
      for (std::size_t j = 0; j < models_[k].size() && share != 1; ++j) {
        models_[k][j] = before[k][j] + share * (models_[k][j] - before[k][j]);
      }
    }
  }
  Offer offer() const override { return {models_}; }
  Items offer_items(ClientId client) const override { return Items::only({setting_->truth[client]}); }
  void fields(Archive& a) override { a(models_); }

 private:
  std::string divisor_ = "cluster";
  std::vector<Vec> models_;  // one for each true cluster
};

const Registration<Algorithm> kOracle{"oracle",
                                      "fedavg inside each true cluster: the bound for clustered methods",
                                      [] { return std::make_unique<Oracle>(); }};

}  // namespace
}  // namespace coterie
