// The model that fits all data of each true cluster best, with noise on every coordinate. It uses the truth,
// so it is for studies of how near a start must be where no parameters generated the data (IFCA-1 and IFCA-2
// of ODCL's table 2 have noise = 1 and noise = 2). Minima are sought to `tolerance`, whatever the noise:
// where that is of size 1, a tolerance of 1e-2 is as good a start as 1e-8, in a fraction of the time. An
// event tells which minima did not meet it; what happens to clients that do not answer is as for the
// algorithm.
#include <fmt/format.h>

#include "coterie/methods/erm.h"

namespace coterie {
namespace {

class ClusterOracleInit : public Init {
 public:
  void options(Options& o) override {
    erm_.options(o);
    o("noise", &noise_, "standard deviation of the normal noise on every coordinate", at_least(0));
  }
  bool needs_truth() const override { return true; }
  std::vector<std::string> warnings(const Fleet&, const Setting& setting) const override {
    return joint_erm_warnings(setting, erm_);
  }

  std::vector<const AnyJob*> jobs() const override { return {&slope_job()}; }

  Start make(const InitContext& context) const override {
    check(context.truth != nullptr, "a start from true clusters is told the truth");
    const std::size_t clusters = context.truth->clusters;
    if (const std::size_t wanted = context.algorithm.start_models(); wanted != clusters) {
      throw Error(
          fmt::format("clusters.init = \"cluster-oracle\" makes one model for each of the {} true clusters, "
                      "but the method wants {}; set clusters.count to {}",
                      clusters, wanted, clusters));
    }
    std::vector<std::vector<ClientId>> members(clusters);
    for (ClientId i : context.fleet.everyone()) members[context.true_clusters[i]].push_back(i);
    Start start;
    start.models = random_models(context.setting, clusters, 0);
    context.fleet.before_rounds([&](const Fleet::Begin& begin) {
      begin(1, 0);
      solve_clusters(context.fleet, context.setting, members, erm_, start.models);
    });
    for (std::size_t k = 0; k < clusters; ++k) {
      Vec& model = start.models[k];
      Vec noise(model.size());
      Stream stream(context.setting.seed, {Purpose::init, 0, 1, static_cast<std::uint32_t>(k)});
      stream.normals(noise);
      for (std::size_t j = 0; j < model.size(); ++j) model[j] += noise_ * noise[j];
    }
    if (context.logged) context.logged(1);
    return start;
  }

 private:
  JointErmOptions erm_;
  double noise_ = 1;
};

const Registration<Init> kClusterOracleInit{"cluster-oracle",
                                            "the models that fit the true clusters' data best, with noise",
                                            [] { return std::make_unique<ClusterOracleInit>(); }};

}  // namespace
}  // namespace coterie
