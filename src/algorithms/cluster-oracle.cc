// The cluster oracle: the model that fits all data of a true cluster best, (3) of ODCL.
//
// It is told who belongs to which and works as if the data of a cluster lay in one place, so it is a bound,
// not a method. Rows count alike, so clients count by their samples; with weights = "clients" they count
// alike, as in the paper, which is the same where all have as many. It takes one round, but as many asks in
// it as L-BFGS takes evaluations of the gradient, and the byte counts say so. With another cohort another
// round finds the minimum over that one's data.
//
// A client that misses an ask is left out for the round, and the minimum is over the others' rows. The model
// of a cluster of which nobody is in the cohort, or nobody answers, stays as it is; an event tells the
// latter.
#include "algorithms/known/method.h"

namespace coterie {
namespace {

class ClusterOracle : public KnownClustersInOneRound {
 public:
  ClusterOracle() : KnownClustersInOneRound(KnownClusters::truth) {}
  void options(Options& o) override { joint_.options(o); }
  std::vector<std::string> warnings(const Fleet&) const override {
    return joint_erm_warnings(*setting_, joint_);
  }
  std::vector<const AnyJob*> jobs() const override { return {&slope_job()}; }

 protected:
  void solve(Fleet& fleet, const std::vector<ClientId>& cohort) override {
    std::vector<std::vector<ClientId>> members(models_.size());
    for (const ClientId i : cohort) members[cluster_of(i)].push_back(i);
    solve_clusters(fleet, *setting_, members, joint_, models_);
  }

 private:
  JointErmOptions joint_;
};

const Registration<Algorithm> kClusterOracle{"cluster-oracle",
                                             "the model that fits all data of a true cluster best",
                                             [] { return std::make_unique<ClusterOracle>(); }};

}  // namespace
}  // namespace coterie
