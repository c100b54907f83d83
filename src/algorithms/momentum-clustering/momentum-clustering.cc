// Momentum-Clustering (Algorithm 4 of the Federated-Clustering paper): every client has a model of its own
// and sends a running mean of its gradients there,
//
//   m_i = alpha g_i(x_i) + (1 - alpha) m_i                                       (6)
//
// The server moves K centres by threshold clustering (clustering/threshold.h), each from where it was in the
// last round, and a client steps along the centre that is nearest to its m_i.
//
// Choose it over federated-clustering when G models and gradients a client are too many to send: it costs one
// each way. It rests on clients of a cluster staying together, since their m_i are taken at different models.
//
// The paper leaves open where the centres are at first: at the means that k-means finds among those of the
// first cohort's m_i that have company (company.h), else a single lie far away would have a centre for
// good; so a cluster that is hardly there in the first round has none. And m_i before the first turn: 0.
// Clients of a later round go to the nearest centre, the first of equals. Weights of (4) are those of
// [aggregate].
//
// Differs from the paper, with any rule for the radius: by (4) a centre with nobody in its ball stays, and
// who is nearest to it would step along an old gradient for good, so it goes to the nearest of their m_i. One
// that is nobody's nearest stays: its clients may not have been asked.
#include <algorithm>
#include <map>

#include "algorithms/momentum-clustering/company.h"
#include "algorithms/personal/method.h"
#include "clustering/kmeans.h"
#include "clustering/threshold.h"
#include "coterie/methods/train.h"
#include "math/distances.h"

namespace coterie {
namespace {

class MomentumClustering : public PersonalMethod {
 public:
  void options(Options& o) override {
    o("alpha", &alpha_, "how much of a new gradient goes into a client's running mean",
      {"must be above 0 and at most 1", [](double value) { return value > 0 && value <= 1; }});
    batch_option(o);
    threshold_.options(o);
  }
  std::size_t start_models() const override { return 1; }
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
    std::vector<std::uint8_t> empty;
    for (Vec& centre : centres_) empty.push_back(move(centre, points, weights) ? 0 : 1);
    Nearest nearest = find_nearest(points);
    if (fill(points, nearest, empty)) nearest = find_nearest(points);
    for (std::size_t p = 0; p < points.count; ++p) group_of_[gathered.clients[p]] = nearest.centre[p];
    take_steps(
        fleet, gathered.clients, centres_, [&](ClientId i) { return group_of_[i]; }, 0);
  }

  std::vector<std::uint32_t> found_clusters() const override {
    return with_singles(group_of_, setting_->clusters);
  }
  void fields(Archive& a) override {
    personal_fields(a);
    a(centres_, group_of_);
  }

 protected:
  bool by_threshold() const override { return true; }

 private:
  // Returns whether there is anybody in its ball.
  bool move(Vec& centre, const Points& points, const Vec& weights) const {
    ThresholdCentre moved = threshold_centre(points, weights, std::move(centre), threshold_);
    centre = std::move(moved.centre);
    return std::find(moved.inside.begin(), moved.inside.end(), 1) != moved.inside.end();
  }

  // Of each point: the nearest centre, and how far it is.
  struct Nearest {
    std::vector<std::uint32_t> centre;
    Vec distance;
  };
  Nearest find_nearest(const Points& points) const {
    Nearest nearest{std::vector<std::uint32_t>(points.count, 0), distances_to(points, centres_[0])};
    for (std::uint32_t k = 1; k < centres_.size(); ++k) {
      const Vec distances = distances_to(points, centres_[k]);
      for (std::size_t p = 0; p < points.count; ++p) {
        if (distances[p] >= nearest.distance[p]) continue;
        nearest.distance[p] = distances[p];
        nearest.centre[p] = k;
      }
    }
    return nearest;
  }
  // Moves empty centres to the nearest of their points; returns whether there were any.
  bool fill(const Points& points, const Nearest& nearest, const std::vector<std::uint8_t>& empty) {
    std::map<std::uint32_t, std::size_t> point_of;
    for (std::size_t p = 0; p < points.count; ++p) {
      const std::uint32_t k = nearest.centre[p];
      if (empty[k] == 0) continue;
      const auto [best, first] = point_of.try_emplace(k, p);
      if (!first && nearest.distance[p] < nearest.distance[best->second]) best->second = p;
    }
    for (const auto& [k, p] : point_of) centres_[k].assign(points[p].begin(), points[p].end());
    return !point_of.empty();
  }

  void place_centres(const Points& points, const Round& round) {
    Stream stream(setting_->seed, {Purpose::server, round.number, 0, 0});
    const Vec values = with_company(points, setting_->clusters);
    const Points some{values, values.size() / points.width, points.width};
    const Grouping groups = kmeans(some, setting_->clusters, {}, stream);
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
