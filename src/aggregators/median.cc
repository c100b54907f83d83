// The median of each coordinate, by weight (Yin, Chen, Kannan and Bartlett, 2018).
//
// Choose it when liars may be nearly half and nothing is known about them: no option to get wrong. It costs
// accuracy where honest clients differ much, since each coordinate is that of one or two of them. Lies with
// less than half of the weight never move a coordinate out of the honest range.
//
// Of two vectors it is the middle, or the one with more weight. Clients with many samples count for much here
// as in a mean; weights = "uniform" makes it a matter of heads.
#include "aggregators/contributions.h"
#include "robust/order_statistics.h"

namespace coterie {
namespace {

class Median : public Aggregator {
 public:
  void options(Options&) override {}
  Vec combine(std::span<const Contribution> contributions) const override {
    const Gathered all(contributions, "median");
    return coordinate_median(all.points(), all.weights());
  }
};

const Registration<Aggregator> kMedian{"median", "the weighted median of each coordinate",
                                       [] { return std::make_unique<Median>(); }};

}  // namespace
}  // namespace coterie
