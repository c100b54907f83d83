// ari: adjusted Rand index of the training clients' found clusters against the true ones: 1 when they are the
// same up to names, 0 at chance. Choose it to see whether an algorithm finds the clusters; it does not look
// at models.
#include "metrics/scores.h"

namespace coterie {
namespace {

class Ari : public Metric {
 public:
  void measure(const Evaluation& evaluation, Record& out) const override {
    out.set("ari", adjusted_rand_index(training_contingency(evaluation)));
  }
};

const Registration<Metric> kAri{"ari", "adjusted Rand index of found against true clusters",
                                [] { return std::make_unique<Ari>(); }};

}  // namespace
}  // namespace coterie
