// cluster_accuracy: share of training clients in the right cluster, once each found cluster stands for at
// most one true one, chosen for the best. The easiest of the three to explain.
#include "metrics/scores.h"

namespace coterie {
namespace {

class Matched : public Metric {
 public:
  void measure(const Evaluation& evaluation, Record& out) const override {
    out.set("cluster_accuracy", matched_share(training_contingency(evaluation)));
  }
};

const Registration<Metric> kMatched{
    "matched", "share of clients in the right cluster under the best one-to-one matching",
    [] { return std::make_unique<Matched>(); }};

}  // namespace
}  // namespace coterie
