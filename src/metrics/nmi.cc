// nmi: mutual information of the training clients' found and true clusters over the mean of the two
// entropies. Unlike ari it is not corrected for chance, and forgives clusters that were split.
#include "metrics/scores.h"

namespace coterie {
namespace {

class Nmi : public Metric {
 public:
  void measure(const Evaluation& evaluation, Record& out) const override {
    out.set("nmi", normalized_mutual_information(training_contingency(evaluation)));
  }
};

const Registration<Metric> kNmi{"nmi", "normalised mutual information of found and true clusters",
                                [] { return std::make_unique<Nmi>(); }};

}  // namespace
}  // namespace coterie
