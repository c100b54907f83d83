// The oracle: FedAvg inside each true cluster. It is told who belongs to which, so it is the bound that every
// clustered method is measured against, not a method.
#include "coterie/algorithm.h"

namespace coterie {
namespace {

class Oracle : public Algorithm {
 public:
  void options(Options&) override {}
  bool needs_truth() const override { return true; }
  std::size_t starts() const override { return setting_->true_clusters(); }
  std::vector<const AnyJob*> jobs() const override { return {&train_job()}; }

  void start(Fleet&, Start start) override { models_ = std::move(start.models); }
  void round(Fleet& fleet, const Round& round) override {
    train_and_average(
        fleet, *setting_, round.cohort, [&](ClientId i) { return setting_->truth[i]; }, 0.0, models_);
  }
  Offer offer() const override { return {models_}; }
  Items offer_items(ClientId client) const override { return Items::only({setting_->truth[client]}); }
  void fields(Archive& a) override { a(models_); }

 private:
  std::vector<Vec> models_;  // one for each true cluster
};

const Registration<Algorithm> kOracle{"oracle",
                                      "fedavg inside each true cluster: the bound for clustered methods",
                                      [] { return std::make_unique<Oracle>(); }};

}  // namespace
}  // namespace coterie
