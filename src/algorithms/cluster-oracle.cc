// The cluster oracle: the model that fits all data of a true cluster best, (3) of ODCL.
//
// It is told who belongs to which and works as if the data of a cluster lay in one place, so it is a bound,
// not a method. Rows count alike, so clients count by their samples. It takes one round, but as many asks in
// it as L-BFGS takes evaluations of the gradient, and the byte counts say so. With another cohort another
// round finds the minimum over that one's data.
//
// A client that misses an ask is left out for the round, and the minimum is over the others' rows. The model
// of a cluster of which nobody is in the cohort, or nobody answers, stays as it is; an event tells the
// latter.
#include "coterie/methods/erm.h"

namespace coterie {
namespace {

class ClusterOracle : public Algorithm {
 public:
  void options(Options& o) override { erm_.exact_options(o); }
  bool needs_truth() const override { return true; }
  bool trains() const override { return false; }
  std::vector<std::string> warnings(const Fleet&) const override {
    return joint_erm_warnings(*setting_, erm_);
  }
  std::size_t starts() const override { return setting_->true_clusters(); }
  std::vector<const AnyJob*> jobs() const override { return {&slope_job()}; }

  void start(Fleet&, Start start) override {
    models_ = std::move(start.models);
    finished_ = false;
  }
  void round(Fleet& fleet, const Round& round) override {
    std::vector<std::vector<ClientId>> members(models_.size());
    for (const ClientId i : round.cohort) members[setting_->truth[i]].push_back(i);
    solve_clusters(fleet, *setting_, members, erm_, models_);
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

const Registration<Algorithm> kClusterOracle{"cluster-oracle",
                                             "the model that fits all data of a true cluster best",
                                             [] { return std::make_unique<ClusterOracle>(); }};

}  // namespace
}  // namespace coterie
