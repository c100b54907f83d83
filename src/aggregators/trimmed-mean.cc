// The mean of each coordinate without a share of the weight at either end (Yin, Chen, Kannan and Bartlett,
// 2018).
//
// Choose it when the share of liars is known not to exceed `trim`: it keeps more of the honest clients'
// information than the median. Lies with up to `trim` of the weight never move a coordinate out of the honest
// range.
//
// Differs from the paper, which cuts whole vectors: here a share of the weight is cut, so that a vector at
// the edge may lose a part of its weight. With equal weights, and trim times their number a whole number, it
// is the same. Of two vectors it is their mean.
#include "aggregators/contributions.h"
#include "robust/order_statistics.h"

namespace coterie {
namespace {

class TrimmedMean : public Aggregator {
 public:
  void options(Options& o) override {
    o("trim", &trim_, "share of the weight that is cut off at either end", between(0, 0.49));
  }
  Vec combine(std::span<const Contribution> contributions) const override {
    const Gathered all(contributions, "trimmed-mean");
    return coordinate_trimmed_mean(all.points(), all.weights(), trim_);
  }

 private:
  double trim_ = 0.2;
};

const Registration<Aggregator> kTrimmedMean{"trimmed-mean",
                                            "the mean of each coordinate without its extremes",
                                            [] { return std::make_unique<TrimmedMean>(); }};

}  // namespace
}  // namespace coterie
