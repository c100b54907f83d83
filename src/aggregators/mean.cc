// The weighted mean. In a run it is computed by exact sums without keeping any reply; this version serves
// where vectors are kept anyway.
#include "coterie/fold.h"

namespace coterie {
namespace {

class Mean : public Aggregator {
 public:
  void options(Options&) override {}
  Vec combine(std::span<const Contribution> contributions) const override {
    Vec sum(contributions[0].values.size(), 0.0);
    double total = 0;
    for (const Contribution& one : contributions) {
      for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += one.weight * one.values[j];
      total += one.weight;
    }
    for (double& v : sum) v /= total;
    return sum;
  }
};

const Registration<Aggregator> kMean{"mean", "the weighted mean", [] { return std::make_unique<Mean>(); }};

}  // namespace
}  // namespace coterie
