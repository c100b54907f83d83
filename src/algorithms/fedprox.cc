// FedProx (Li et al., 2020): FedAvg whose local training is held near the model it started from by a proximal
// term
//   mu/2 |w - w_global|^2 .
//
// Choose it over fedavg when clients differ or train long, so that their results drift apart. mu = 0 is
// FedAvg.
#include "coterie/algorithm.h"

namespace coterie {
namespace {

class FedProx : public Algorithm {
 public:
  void options(Options& o) override {
    o("mu", &mu_, "strength of the proximal term; 0 is fedavg", at_least(0));
  }
  std::size_t starts() const override { return 1; }
  std::vector<const AnyJob*> jobs() const override { return {&train_job()}; }

  void start(Fleet&, Start start) override { models_ = std::move(start.models); }
  void round(Fleet& fleet, const Round& round) override {
    train_and_average(
        fleet, *setting_, round.cohort, [](ClientId) { return 0u; }, mu_, models_);
  }
  Offer offer() const override { return {models_}; }
  void fields(Archive& a) override { a(models_); }

 private:
  double mu_ = 0.1;
  std::vector<Vec> models_;  // one
};

const Registration<Algorithm> kFedProx{"fedprox", "fedavg with local training held near the global model",
                                       [] { return std::make_unique<FedProx>(); }};

}  // namespace
}  // namespace coterie
