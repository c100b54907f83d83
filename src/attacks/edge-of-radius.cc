// Edge of the radius: all liars stand at the edge of the ball that threshold clustering, or another rule that
// trusts what is near, draws around the honest changes, on the side opposite to where those go. After the
// worst case of the Federated-Clustering paper (section 3 and the proof of Theorem 1): farther out they would
// not count.
//
//   lie = mean - reach r mean / |mean|,      r = the median distance of a liar's honest change from the mean
//
// The mean is over the liars' own changes; among n of them it is nearer to each than the mean of all is, so
// distances count sqrt(n / (n - 1)) fold. One liar alone takes the length of its change for r.
//
// Liars know no more than what liars would send. So it is no worst case of federated-clustering, whose ball
// is around each owner's gradient and whose groups have liars of several clusters: where clusters stand apart
// the lie hardly ever gets inside; where gradients are mostly noise it may (docs/robust.md). In `coterie
// reproduce fc-byzantine` threshold clustering meets liars that know the true mean and the radius.
#include <algorithm>
#include <cmath>

#include "attacks/agreements.h"
#include "math/kernels.h"
#include "math/order_statistics.h"

namespace coterie {
namespace {

double radius_around(std::span<const double> mean, std::span<const Vec> changes) {
  if (changes.size() == 1) return std::sqrt(squared_norm(mean));
  std::vector<Weighted> distances;
  for (const Vec& one : changes) distances.push_back({std::sqrt(squared_distance(one, mean)), 1});
  const auto n = static_cast<double>(changes.size());
  return std::sqrt(n / (n - 1)) * weighted_median(distances);
}

class EdgeOfRadius : public Attack {
 public:
  void options(Options& o) override {
    o("reach", &reach_, "distance from the mean, in radii; beyond 1 a ball does not hold them", above(0));
  }
  At at() const override { return At::agreement; }
  Vec agree(std::span<const Vec> changes, const Crowd&) const override {
    Vec lie = mean_of(changes);
    const double length = std::sqrt(squared_norm(lie));
    if (length == 0) return lie;
    scale(1 - reach_ * radius_around(lie, changes) / length, lie);
    return lie;
  }

 private:
  double reach_ = 0.95;
};

const Registration<Attack> kEdgeOfRadius{"edge-of-radius",
                                         "liars stand at the edge of the ball around the honest changes",
                                         [] { return std::make_unique<EdgeOfRadius>(); }};

}  // namespace
}  // namespace coterie
