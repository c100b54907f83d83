// What ODCL finds in one exchange (algorithms/odcl.cc): the means of groups of the clients' own models, and
// who is in which.
//
// Choose it where random starts go astray, or where K is not known: with clustering = "convex", or a count
// that is chosen, the method begins with as many models as there are groups, whatever clusters.count says.
#include <fmt/format.h>

#include "base/text.h"
#include "clustering/clustering.h"
#include "coterie/methods/grouping.h"

namespace coterie {
namespace {

class OdclStart : public Init {
 public:
  void options(Options& o) override {
    erm_.options(o);
    clustering_.options(o);
    weights_.options(o);
    o.require(
        !clustering_.needs_truth(), "convex",
        "rule = \"interval\" asks for the true clusters, which a start is not told; use \"clusterpath\"");
  }
  std::vector<std::string> warnings(const Fleet& fleet, const Setting& setting) const override {
    return local_erm_warnings(fleet, setting, erm_);
  }

  std::vector<const AnyJob*> jobs() const override { return {&erm_job()}; }

  Start make(const InitContext& context) const override {
    const std::size_t wanted = context.algorithm.start_models();
    const LocalModels local = ask_local_models(context.fleet, context.setting, erm_);
    if (context.logged) context.logged(1);
    if (local.clients.empty()) {
      throw Error(
          "clusters.init = \"odcl\": no client has a usable model of its own, so there is nothing to group");
    }
    Start start = group_models(context.fleet, context.setting, local, clustering_, weights_, wanted, {});
    if (start.models.size() == wanted) return start;
    if (wanted == 1) {
      throw Error(
          fmt::format("clusters.init = \"odcl\" found {}, but this method keeps one model; use "
                      "init = \"random\", or a clustered method",
                      counted(start.models.size(), "group")));
    }
    context.fleet.report({0,
                          "cluster-count",
                          {},
                          fmt::format("{} found, clusters.count = {}: the method goes on with {}",
                                      counted(start.models.size(), "cluster was", "clusters were"), wanted,
                                      start.models.size()),
                          {}});
    return start;
  }

 private:
  ErmOptions erm_;
  ClusteringOptions clustering_;
  GroupWeights weights_;
};

const Registration<Init> kOdclStart{"odcl", "groups of the clients' own models, as ODCL finds them",
                                    [] { return std::make_unique<OdclStart>(); }};

}  // namespace
}  // namespace coterie
