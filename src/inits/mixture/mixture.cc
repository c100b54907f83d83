// Groups of clients by their estimates (methods/estimates.h): a mixture of Gaussians N(mu_k, T + V_i) that
// knows how sure each client is and lets members of a group differ by T (src/groups/mixture.h).
//
// Choose it for linear, logistic and softmax regression. Unlike "kmeans++" and "odcl" it does not take the
// noise of clients with few rows for a difference, and columns need no common scale. Groups are numbered from
// the most clients to the fewest, those of equal size by their first client. A client with too few rows for
// an estimate belongs to no group yet.
#include "groups/mixture.h"

#include <fmt/format.h>

#include "base/text.h"
#include "coterie/methods/estimates.h"
#include "coterie/methods/newton.h"

namespace coterie {
namespace {

class MixtureStart : public Init {
 public:
  void options(Options& o) override {
    o.choice(
        "models", models_, {"mean", "exact"},
        "the model of a group: the mean of its clients' estimates by how sure each is, or the minimum over "
        "their rows");
    o("starts", &starts_, "starts of the mixture's EM, of which the best is kept", between(1, 10000));
  }
  std::vector<const AnyJob*> jobs() const override { return estimate_jobs(); }

  Start make(const InitContext& context) const override {
    if (const std::string why = why_no_estimates(context.setting.model); !why.empty()) {
      throw Error("clusters.init = \"mixture\": " + why);
    }
    const std::size_t groups = context.algorithm.start_models();
    Fleet& fleet = context.fleet;
    Start start;
    start.memberships.assign(fleet.clients(), kUnknownCluster);
    fleet.before_rounds([&](const Fleet::Begin& begin) {
      begin(1, 1);
      const ClientEstimates told =
          ask_estimates(fleet, context.setting, fleet.everyone(), {.replicates = 0, .resamples = 0});
      if (groups == 1) {
        start.memberships.assign(fleet.clients(), 0);
        start.models = {told.centre};
      } else {
        group(context, told, groups, start);
      }
    });
    if (context.logged) context.logged(1);
    return start;
  }

 private:
  void group(const InitContext& context, const ClientEstimates& told, std::size_t groups,
             Start& start) const {
    if (told.clients.size() < groups) {
      throw Error(
          fmt::format("clusters.init = \"mixture\" makes {} of {} with at least {} rows (or groups of "
                      "rows, with data.group); ask for fewer clusters, or use init = \"random\"",
                      counted(groups, "group"), counted(told.clients.size(), "client"), told.least_rows()));
    }
    Stream stream(context.setting.seed, {Purpose::server, 0, 1, 0});
    const auto mixture =
        fit_mixture(estimates_of(told), groups, {.starts = static_cast<std::size_t>(starts_)}, stream);
    std::vector<std::vector<ClientId>> members(groups);
    for (std::size_t i = 0; i < told.clients.size(); ++i) {
      start.memberships[told.clients[i]] = mixture.labels[i];
      members[mixture.labels[i]].push_back(told.clients[i]);
    }
    std::string sizes;
    for (std::size_t k = 0; k < groups; ++k) {
      start.models.push_back(told.model_at(std::span(mixture.mu).subspan(k * told.width, told.width)));
      sizes += (k == 0 ? "" : ", ") + std::to_string(members[k].size());
      if (models_ == "mean" || members[k].empty()) continue;
      JointMinimum found = solve_by_newton(context.fleet, context.setting, members[k]);
      if (!found.clients.empty()) start.models.back() = std::move(found.model);
    }
    context.fleet.report(
        {0,
         "groups",
         {},
         fmt::format("{} in {} coordinates into groups of {}; the nearest two are {:.3g} deviations apart",
                     counted(told.clients.size(), "client"), told.width, sizes, mixture.apart),
         {{"groups", static_cast<double>(groups)}, {"bic", mixture.bic}}});
  }

  std::string models_ = "mean";
  std::int64_t starts_ = 8;
};

const Registration<Init> kMixtureStart{"mixture",
                                       "groups of the clients' estimates, by a mixture of Gaussians",
                                       [] { return std::make_unique<MixtureStart>(); }};

}  // namespace
}  // namespace coterie
