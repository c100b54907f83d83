// FedAvg (McMahan et al., 2017): one model for everybody; clients train it on their own data and the server
// takes the mean.
//
// Choose it as the baseline that ignores clusters: where clients really differ, one model serves nobody well.
#include "coterie/algorithm.h"

namespace coterie {
namespace {

class FedAvg : public Algorithm {
 public:
  void options(Options&) override {}
  std::size_t starts() const override { return 1; }
  std::vector<const AnyJob*> jobs() const override { return {&train_job()}; }

  void start(Fleet&, Start start) override { models_ = std::move(start.models); }
  void round(Fleet& fleet, const Round& round) override {
    train_and_average(
        fleet, *setting_, round.cohort, [](ClientId) { return 0u; }, 0.0, models_);
  }
  Offer offer() const override { return {models_}; }
  void fields(Archive& a) override { a(models_); }

 private:
  std::vector<Vec> models_;  // one
};

const Registration<Algorithm> kFedAvg{"fedavg", "one model for everybody, the mean of what clients train",
                                      [] { return std::make_unique<FedAvg>(); }};

}  // namespace
}  // namespace coterie
