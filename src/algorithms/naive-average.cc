// Naive averaging: every client sends the model that fits its own data best, and all get the mean of them.
// One round.
//
// Choose it as the baseline that looks away from clusters (ODCL, section 5); where there are none, it is
// one-shot averaging. All clients count alike, as in the paper. Where rounds ask a part of the clients, the
// mean is that of the last cohort.
#include "coterie/methods/erm.h"

namespace coterie {
namespace {

class NaiveAverage : public Algorithm {
 public:
  void options(Options& o) override { erm_.options(o); }
  bool trains() const override { return false; }
  std::vector<std::string> warnings(const Fleet& fleet) const override {
    return local_erm_warnings(fleet, *setting_, erm_);
  }
  std::size_t starts() const override { return 1; }
  std::vector<const AnyJob*> jobs() const override { return {&erm_job()}; }

  void start(Fleet&, Start start) override {
    models_ = std::move(start.models);
    finished_ = false;
  }
  void round(Fleet& fleet, const Round& round) override {
    average_local_models(
        fleet, *setting_, round.cohort, [](ClientId) { return 0u; }, erm_, models_);
    finished_ = asks_everyone(fleet, *setting_, round);
  }
  bool finished() const override { return finished_; }
  Offer offer() const override { return {models_}; }
  void fields(Archive& a) override { a(models_, finished_); }

 private:
  ErmOptions erm_;
  std::vector<Vec> models_;  // one
  bool finished_ = false;
};

const Registration<Algorithm> kNaiveAverage{"naive-average",
                                            "one model: the mean of the clients' own, in one round",
                                            [] { return std::make_unique<NaiveAverage>(); }};

}  // namespace
}  // namespace coterie
