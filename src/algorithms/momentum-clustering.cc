// Momentum-Clustering (Algorithm 4 of the Federated-Clustering paper): every client has a model of its own
// and sends a running mean of its gradients there,
//
//   m_i = alpha g_i(x_i) + (1 - alpha) m_i                                       (6)
//
// The server moves K centres by threshold clustering (math/threshold.h), each from where it was in the last
// round, and a client steps along the centre that is nearest to its m_i.
//
// Choose it over federated-clustering when G models and gradients a client are too many to send: it costs one
// each way. It rests on clients of a cluster staying together, since their m_i are taken at different models.
//
// The paper leaves open where the centres are at first: at the means that k-means finds among the first
// cohort's m_i; and m_i before the first turn: 0. Clients of a later round go to the nearest centre, the
// first of equals. Weights of (4) are those of [aggregate]. A centre with nobody in its ball, as a quantile
// of few clients' distances has it, would step along an old gradient for good: it goes to the nearest m_i.
#include <algorithm>

#include "algorithms/personal.h"
#include "math/distances.h"
#include "math/threshold.h"

namespace coterie {
namespace {

class MomentumClustering : public PersonalMethod {
 public:
  void options(Options& o) override {
    o("alpha", &alpha_, "how much of a new gradient goes into a client's running mean",
      {"must be above 0 and at most 1", [](double value) { return value > 0 && value <= 1; }});
    threshold_.options(o);
  }
  std::size_t starts() const override { return 1; }
  std::vector<const AnyJob*> jobs() const override { return {&kOwnGradient, &kTakeStep}; }

  void start(Fleet& fleet, Start start) override {
    begin(fleet, std::move(start));
    group_of_.assign(fleet.clients(), kUnknownCluster);
    centres_.clear();
  }

  void round(Fleet& fleet, const Round& round) override {
    const Gathered gathered = gather_vectors(fleet, round.cohort, alpha_);
    if (gathered.clients.empty()) return;
    const Points points = gathered.points();
    if (centres_.empty()) place_centres(points, round);
    Vec weights;
    for (const ClientId i : gathered.clients) weights.push_back(client_weight(*setting_, fleet, i));
    for (Vec& centre : centres_) move(centre, points, weights);
    Vec nearest(points.count, 0.0);
    for (std::uint32_t k = 0; k < centres_.size(); ++k) {
      const Vec distances = distances_to(points, centres_[k]);
      for (std::size_t p = 0; p < points.count; ++p) {
        if (k > 0 && distances[p] >= nearest[p]) continue;
        nearest[p] = distances[p];
        group_of_[gathered.clients[p]] = k;
      }
    }
    take_steps(
        fleet, gathered.clients, centres_, [&](ClientId i) { return group_of_[i]; }, 0);
  }

  std::vector<std::uint32_t> groups() const override { return with_singles(group_of_, setting_->clusters); }
  void fields(Archive& a) override {
    personal_fields(a);
    a(centres_, group_of_);
  }

 protected:
  bool by_threshold() const override { return true; }

 private:
  void move(Vec& centre, const Points& points, const Vec& weights) const {
    ThresholdCentre moved = threshold_centre(points, weights, std::move(centre), threshold_);
    centre = std::move(moved.centre);
    const bool empty = std::find(moved.inside.begin(), moved.inside.end(), 1) == moved.inside.end();
    if (!empty || threshold_.rule != "percentile") return;
    const Vec distances = distances_to(points, centre);
    const auto nearest = std::min_element(distances.begin(), distances.end()) - distances.begin();
    const std::span<const double> point =
        points.values.subspan(static_cast<std::size_t>(nearest) * points.width, points.width);
    centre.assign(point.begin(), point.end());
  }
  void place_centres(const Points& points, const Round& round) {
    Stream stream(setting_->seed, {Purpose::server, round.number, 0, 0});
    const Grouping groups = kmeans(points, setting_->clusters, {}, stream);
    for (std::size_t k = 0; k < setting_->clusters; ++k) {
      const std::span<const double> centre = groups.centre(k, points.width);
      centres_.emplace_back(centre.begin(), centre.end());
    }
  }

  double alpha_ = 0.2;
  ThresholdOptions threshold_;
  std::vector<Vec> centres_;             // v_k; empty before the first round
  std::vector<std::uint32_t> group_of_;  // of each client, at its last turn; kUnknownCluster before
};

const Registration<Algorithm> kMomentumClustering{
    "momentum-clustering", "a model for each client; running means of gradients are grouped around K centres",
    [] { return std::make_unique<MomentumClustering>(); }};

}  // namespace
}  // namespace coterie
