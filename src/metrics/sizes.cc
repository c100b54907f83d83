// sizes: training clients in each found cluster, one number for each offered model, zeros included.
// clusters_found: how many of them have any.
#include <algorithm>

#include "metrics/scores.h"

namespace coterie {
namespace {

class Sizes : public Metric {
 public:
  void measure(const Evaluation& evaluation, Record& out) const override {
    if (!evaluation.has_clusters()) {
      out.set("sizes", kNoFigure);
      out.set("clusters_found", kNoFigure);
      return;
    }
    std::vector<double> sizes(evaluation.personal ? 0 : evaluation.models.size(), 0);
    for (const ClientScore& score : evaluation.scores) {
      if (score.role != Role::train) continue;
      // Methods that offer something other than one model a cluster may name clusters beyond the models.
      if (score.cluster >= sizes.size()) sizes.resize(score.cluster + std::size_t{1}, 0);
      sizes[score.cluster] += 1;
    }
    auto empty = std::count(sizes.begin(), sizes.end(), 0.0);
    double clusters = static_cast<double>(sizes.size()) - static_cast<double>(empty);
    out.set("sizes", std::move(sizes));
    out.set("clusters_found", clusters);
  }
};

const Registration<Metric> kSizes{"sizes",
                                  "training clients in each found cluster, and how many clusters have any",
                                  [] { return std::make_unique<Sizes>(); }};

}  // namespace
}  // namespace coterie
