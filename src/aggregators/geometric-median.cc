// The point with the least weighted sum of distances to all vectors: RFA (Pillutla, Kakade and Harchaoui,
// 2022); robust/geometric_median.h has the algorithm, its tolerance and how it differs.
//
// Choose it as the first robust rule to try: it needs no guess of how many lie, turns with the coordinates,
// and is near the mean of honest vectors of many dimensions. Lies with less than half of the weight move it
// by a bounded distance, which grows as they near half; unlike with the median, a coordinate may leave the
// honest range by that.
//
// Of two vectors it is the middle, or the one with more weight.
#include "aggregators/contributions.h"
#include "robust/geometric_median.h"

namespace coterie {
namespace {

class RobustCentre : public Aggregator {
 public:
  void options(Options& o) override { options_.options(o); }
  Vec combine(std::span<const Contribution> contributions) const override {
    const Gathered all(contributions, "geometric-median");
    return geometric_median(all.points(), all.weights(), options_).point;
  }

 private:
  GeometricMedianOptions options_;
};

const Registration<Aggregator> kGeometricMedian{"geometric-median",
                                                "the point with the least sum of distances to all (RFA)",
                                                [] { return std::make_unique<RobustCentre>(); }};

}  // namespace
}  // namespace coterie
