// Centered clipping (Karimireddy, He and Jaggi, 2021): from a centre v, steps of the weighted mean in which
// nobody pulls from farther than a radius,
//
//   v <- v + sum_i w_i (x_i - v) min(1, radius / |x_i - v|) / sum_i w_i
//
// Choose it when many honest vectors differ from each other and all should have a say: nobody is left out,
// a lie has the pull of an honest vector at the radius.
//
// Differs from the paper, which begins at the last round's result and leaves the radius to the user: it
// begins at the coordinate median, and without a radius takes the weighted median of the distances to v, anew
// in each step. Where half of the weight is at v, that is 0, and v stays. Of two vectors it is the middle, or
// the one with more weight; with a radius, between them.
#include <algorithm>

#include "aggregators/contributions.h"
#include "robust/order_statistics.h"

namespace coterie {
namespace {

class CenteredClipping : public Aggregator {
 public:
  void options(Options& o) override {
    o("radius", &radius_,
      "distance beyond which a vector pulls no harder; default: the median distance to the centre", above(0));
    o("steps", &steps_, "moves of the centre", between(1, 1000));
  }
  Vec combine(std::span<const Contribution> contributions) const override {
    const Gathered all(contributions, "centered-clipping");
    double total = 0;
    for (const double weight : all.weights()) total += weight;
    Vec centre = coordinate_median(all.points(), all.weights());
    for (std::int64_t step = 0; step < steps_; ++step) {
      const Vec distances = distances_to(all.points(), centre);
      const double radius = radius_.value_or(median_of(distances, all.weights()));
      Vec factors(distances.size());
      for (std::size_t i = 0; i < factors.size(); ++i) {
        const double pull = distances[i] <= radius ? 1 : radius / distances[i];
        factors[i] = pull * all.weights()[i] / total;
      }
      Vec moved = centre;
      add_differences(all.points(), factors, centre, moved);
      centre = std::move(moved);
    }
    return centre;
  }

 private:
  static double median_of(const Vec& distances, std::span<const double> weights) {
    std::vector<Weighted> numbers;
    for (std::size_t i = 0; i < distances.size(); ++i) numbers.push_back({distances[i], weights[i]});
    return weighted_median(numbers);
  }

  std::optional<double> radius_;
  std::int64_t steps_ = 3;
};

const Registration<Aggregator> kCenteredClipping{"centered-clipping",
                                                 "steps of the mean in which nobody pulls from far away",
                                                 [] { return std::make_unique<CenteredClipping>(); }};

}  // namespace
}  // namespace coterie
