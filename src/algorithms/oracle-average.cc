// Oracle averaging: every client sends the model that fits its own data best, and those of a true cluster get
// the mean of theirs. One round.
//
// It is told who belongs to which, so it is the bound of methods that cluster such models (ODCL, section 5),
// not a method. All clients count alike, as in the paper. Where rounds
// ask a part of the clients, the means are those of the last cohort.
#include "coterie/methods/erm.h"

namespace coterie {
namespace {

class OracleAverage : public Algorithm {
 public:
  void options(Options& o) override { erm_.options(o); }
  bool needs_truth() const override { return true; }
  bool trains() const override { return false; }
  std::vector<std::string> warnings(const Fleet& fleet) const override {
    return local_erm_warnings(fleet, *setting_, erm_);
  }
  std::size_t starts() const override { return setting_->true_clusters(); }
  std::vector<const AnyJob*> jobs() const override { return {&erm_job()}; }

  void start(Fleet&, Start start) override {
    models_ = std::move(start.models);
    finished_ = false;
  }
  void round(Fleet& fleet, const Round& round) override {
    average_local_models(
        fleet, *setting_, round.cohort, [&](ClientId i) { return setting_->truth[i]; }, erm_, models_);
    finished_ = asks_everyone(fleet, *setting_, round);
  }
  bool finished() const override { return finished_; }
  Offer offer() const override { return {models_}; }
  Items offer_items(ClientId client) const override { return Items::only({setting_->truth[client]}); }
  void fields(Archive& a) override { a(models_, finished_); }

 private:
  ErmOptions erm_;
  std::vector<Vec> models_;  // one for each true cluster
  bool finished_ = false;
};

const Registration<Algorithm> kOracleAverage{
    "oracle-average", "the mean of the clients' own models inside each true cluster, in one round",
    [] { return std::make_unique<OracleAverage>(); }};

}  // namespace
}  // namespace coterie
