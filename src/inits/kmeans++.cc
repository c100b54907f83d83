// Centres of what clients learn alone: every client finds its own model, and k-means groups them (the first
// half of one-shot clustering). Models begin at the centres, and methods that keep memberships begin with the
// groups.
//
// Choose it to start ifca from where one-shot would stop: groups that came out wrong can still be mended. A
// client whose own model could not be used belongs to no group yet.
#include <fmt/format.h>

#include "base/text.h"
#include "clustering/kmeans.h"
#include "coterie/methods/erm.h"

namespace coterie {
namespace {

class KMeansPlusPlus : public Init {
 public:
  void options(Options& o) override {
    erm_.options(o);
    o("restarts", &kmeans_.restarts,
      "runs of k-means, of which the one with the least sum of squares is kept", between(1, 10000));
  }
  std::vector<std::string> warnings(const Fleet& fleet, const Setting& setting) const override {
    return local_erm_warnings(fleet, setting, erm_);
  }

  std::vector<const AnyJob*> jobs() const override { return {&erm_job()}; }

  Start make(const InitContext& context) const override {
    const std::size_t clusters = context.algorithm.start_models();
    const std::size_t size = context.setting.model.size();
    LocalModels local = ask_local_models(context.fleet, context.setting, erm_);
    if (context.logged) context.logged(1);
    if (local.clients.size() < clusters) {
      throw Error(
          fmt::format("clusters.init = \"kmeans++\" makes {} of {} with a usable model of "
                      "their own; ask for fewer clusters, or use init = \"random\"",
                      counted(clusters, "group"), counted(local.clients.size(), "client")));
    }
    Points points{local.values, local.clients.size(), size};
    Stream stream(context.setting.seed, {Purpose::server, 0, 0, 0});
    Grouping groups = kmeans(points, clusters, kmeans_, stream);
    Start start;
    for (std::size_t k = 0; k < clusters; ++k) {
      std::span<const double> centre = groups.centre(k, size);
      start.models.emplace_back(centre.begin(), centre.end());
    }
    start.memberships.assign(context.fleet.clients(), kUnknownCluster);
    for (std::size_t i = 0; i < local.clients.size(); ++i) {
      start.memberships[local.clients[i]] = groups.labels[i];
    }
    return start;
  }

 private:
  ErmOptions erm_;
  KMeansOptions kmeans_;
};

const Registration<Init> kKMeansPlusPlus{"kmeans++", "centres of the clients' own models, grouped by k-means",
                                         [] { return std::make_unique<KMeansPlusPlus>(); }};

}  // namespace
}  // namespace coterie
