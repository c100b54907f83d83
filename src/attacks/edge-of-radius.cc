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
// That is all that liars know by default, and no worst case of federated-clustering, whose ball is around
// each owner's gradient (docs/robust.md). With knows = "owners" liars know that gradient z, and what the ball
// does from there; at each owner's model they stand on the line from m, the mean of the honest changes that
// are near z (the liars' own, within 2 r), through z:
//
//   stand = "first"   z + reach r (z - m) / |z - m|: at the edge of the ball that begins at z. Worst where
//                     balls hold few points, or for a few steps
//   stand = "last"    m + reach r (1 + beta / delta) (z - m) / |z - m|, unless that is farther out: at the
//                     edge of the ball where (4) comes to rest, with a share delta of all clients honest and
//                     near, and liars at its edge: the centre is r beta / delta from m there. Worst where the
//                     clusters stand apart
//
// r is `radius`, or without it the distance from z of rank floor(quantile n) among the n liars' changes.
#include <algorithm>
#include <cmath>

#include "attacks/agreements.h"
#include "math/kernels.h"
#include "robust/order_statistics.h"

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
    o.choice("knows", knows_, {"liars", "owners"},
             "what liars know: each other's honest changes, or also the gradient of whose model it is "
             "(federated-clustering)");
    o.choice("stand", stand_, {"last", "first"},
             "with knows = \"owners\": at the edge of the ball where it comes to rest, or where it begins");
    o("radius", &radius_, "with knows = \"owners\": of the ball; default: by the quantile", above(0));
    o("quantile", &quantile_, "with knows = \"owners\": of the distances that liars estimate the radius by",
      between(0, 1));
    o.require(knows_ == "owners" || (stand_ == "last" && !radius_), "knows",
              "must be \"owners\" where stand or radius are given");
  }
  At at() const override { return At::agreement; }
  bool knows_owners() const override { return knows_ == "owners"; }
  Vec agree(std::span<const Vec> changes, const Crowd& crowd) const override {
    if (crowd.owner != nullptr) return around(*crowd.owner, changes, crowd);
    Vec lie = mean_of(changes);
    const double length = std::sqrt(squared_norm(lie));
    if (length == 0) return lie;
    scale(1 - reach_ * radius_around(lie, changes) / length, lie);
    return lie;
  }

 private:
  Vec around(const Vec& owner, std::span<const Vec> changes, const Crowd& crowd) const {
    std::vector<std::pair<double, std::size_t>> order;  // by distance from the owner
    for (std::size_t j = 0; j < changes.size(); ++j) {
      order.emplace_back(std::sqrt(squared_distance(changes[j], owner)), j);
    }
    std::sort(order.begin(), order.end());
    const auto n = static_cast<double>(changes.size());
    const auto rank = static_cast<std::size_t>(std::min(std::floor(quantile_ * n), n - 1));
    const double r = radius_.value_or(order[rank].first);
    std::vector<Vec> near;
    for (const auto& [distance, j] : order) {
      if (near.empty() || distance <= 2 * r) near.push_back(changes[j]);
    }
    Vec lie = mean_of(near), out = owner;
    add_scaled(-1.0, lie, out);
    const double length = std::sqrt(squared_norm(out));
    if (length == 0) return owner;
    const double beta = static_cast<double>(crowd.liars) / static_cast<double>(crowd.clients);
    const double delta = (1 - beta) * static_cast<double>(near.size()) / n;
    const double first = length + reach_ * r, last = reach_ * r * (1 + beta / delta);
    add_scaled((stand_ == "first" ? first : std::min(first, last)) / length, out, lie);
    return lie;
  }

  double reach_ = 0.95;
  std::string knows_ = "liars";
  std::string stand_ = "last";
  std::optional<double> radius_;
  double quantile_ = 0.2;
};

const Registration<Attack> kEdgeOfRadius{"edge-of-radius",
                                         "liars stand at the edge of the ball around the honest changes",
                                         [] { return std::make_unique<EdgeOfRadius>(); }};

}  // namespace
}  // namespace coterie
