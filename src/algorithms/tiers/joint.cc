// Tier 1: the joint distribution, L_k = P_k(y given x) N(z(x); mean_k, covariance_k) (FedGMM; Wu et al.,
// 2023): clusters differ in what inputs look like as well as in how labels follow from them.
//
// z is a random projection of the inputs to `embedding` numbers, which keeps mixtures of Gaussians apart
// (Dasgupta, 1999) and is known to all without a message. Clients tell the moments of their z under each
// cluster's responsibilities; the Gaussians fit the sum of what was last told by everybody, so they are those
// of the round before. Before the first round there are none, and weights are those of P(y given x). A
// cluster that has lost its samples keeps its last Gaussian; one that never had any has that of all samples.
//
// Which model predicts depends on the input:  p(k given x) ~ w_k N(z; k).
//
// Differs from the paper: a Gaussian and a learner belong together (there, every pair of them has a weight);
// z is not the output of a pretrained network; pooled moments are the exact M-step, where averages of the
// clients' covariances leave out how far their means are apart.
#include <algorithm>
#include <cmath>

#include "algorithms/tiers/e_step.h"
#include "algorithms/tiers/gaussians.h"
#include "algorithms/tiers/parts.h"
#include "algorithms/tiers/rows.h"
#include "coterie/methods/first_layer.h"
#include "coterie/methods/with_real.h"
#include "math/gemm.h"

namespace coterie {
namespace {

class Joint : public TierObjective {
 public:
  bool soft_only() const override { return true; }
  void prepare(const TierOptions& options, const Setting& setting) override {
    const FirstLayer* first = setting.model.first_layer();
    if (first == nullptr) throw Error("tiers.objective = \"joint\" needs a model with a dense first layer");
    inputs_ = first->inputs();
    width_ = std::min(static_cast<std::size_t>(options.embedding), inputs_);
    ridge_ = options.ridge;
    rounding_ = setting.precision == Precision::f32 ? 0x1p-24 : 0x1p-53;
    projection_.resize(inputs_ * width_);
    Stream stream(setting.seed, {Purpose::features, 0, 1, 0});
    stream.normals(projection_);
    // Of unit length on average: z has the scale of x.
    for (double& value : projection_) value /= std::sqrt(static_cast<double>(width_));
  }

  std::size_t figure_count() const override { return 1; }
  Vec log_likelihoods(const std::vector<Vec>& losses, std::span<const Shared> figures,
                      ClientView& view) const override {
    Vec logs = log_densities(losses.size(), figures, view, Part::train);
    for (std::size_t j = 0; j < logs.size(); ++j) logs[j] -= losses[j % losses.size()][j / losses.size()];
    return logs;
  }
  std::size_t told_size(std::size_t clusters) const override { return clusters * moment_size(width_); }
  Vec tell(std::span<const double> gamma, std::size_t clusters, ClientView& view) const override {
    const Vec z = embedded(view, Part::train);
    const std::size_t size = moment_size(width_);
    Vec moments(clusters * size, 0.0);
    for (std::size_t j = 0; j < gamma.size(); ++j) {
      add_moments(gamma[j], std::span(z).subspan(j / clusters * width_, width_),
                  std::span(moments).subspan(j % clusters * size, size));
    }
    return moments;
  }
  Vec row_weights(const Vec& weights, std::span<const Shared> figures, ClientView& view,
                  Part part) const override {
    Vec rows = log_densities(weights.size(), figures, view, part);
    return e_step(rows, weights, {}, 0).gamma;
  }

  void start(Fleet& fleet, std::size_t clusters) override {
    told_.assign(fleet.clients(), {});
    gaussians_.assign(clusters, none());
  }
  std::vector<Vec> figures() const override {
    Vec all;
    for (const Gaussian& one : gaussians_) {
      all.push_back(exists(one) ? 1 : 0);
      all.insert(all.end(), one.mean.begin(), one.mean.end());
      all.insert(all.end(), one.covariance.begin(), one.covariance.end());
    }
    return {all};
  }
  std::string refuse(const Vec& told) const override {
    const std::size_t size = moment_size(width_);
    bool good = told.size() == gaussians_.size() * size;
    for (std::size_t k = 0; good && k < told.size(); k += size) {
      good = possible_moments(std::span(told).subspan(k, size), width_, ridge_, rounding_);
    }
    return good ? "" : "its moments cannot be";
  }
  void hear(ClientId client, Vec told) override { told_[client] = std::move(told); }
  void learn() override {
    const std::size_t size = moment_size(width_);
    Vec sums(gaussians_.size() * size, 0.0), all(size, 0.0);
    for (const Vec& one : told_) {
      for (std::size_t j = 0; j < one.size(); ++j) {
        sums[j] += one[j];
        all[j % size] += one[j];
      }
    }
    const Gaussian of_all = fitted(all, none(), ridge_, rounding_);
    for (std::size_t k = 0; k < gaussians_.size(); ++k) {
      const Gaussian otherwise = exists(gaussians_[k]) ? gaussians_[k] : of_all;
      gaussians_[k] = fitted(std::span(sums).subspan(k * size, size), otherwise, ridge_, rounding_);
    }
  }
  void edited(const ClusterEdit& edit) override {
    for (Vec& one : told_) edit_rows(edit, one, moment_size(width_));
    if (edit.kind == ClusterEdit::Kind::split) {
      gaussians_.push_back(Gaussian(gaussians_[edit.cluster]));
      return;
    }
    const bool merge = edit.kind == ClusterEdit::Kind::merge;
    gaussians_.erase(gaussians_.begin() + static_cast<std::ptrdiff_t>(merge ? edit.other : edit.cluster));
    if (merge) learn();
  }
  void fields(Archive& a) override { a(told_, gaussians_); }

 private:
  Gaussian none() const { return {Vec(width_, 0.0), Vec(width_ * width_, 0.0)}; }
  static bool exists(const Gaussian& one) { return one.covariance[0] > 0; }

  template <class Real>
  Vec embedded_as(ClientView& view, Part part) const {
    const Batch<Real> rows = view.batch<Real>(part);
    const Real* x = view.model().first_layer()->first_inputs(rows);
    const Vec inputs(x, x + rows.rows * inputs_);
    Vec z(rows.rows * width_);
    multiply(Matrix<const double>(inputs.data(), rows.rows, inputs_),
             Matrix<const double>(projection_.data(), inputs_, width_),
             Matrix<double>(z.data(), rows.rows, width_));
    return z;
  }
  Vec embedded(ClientView& view, Part part) const {
    return with_real(view.precision(), [&](auto real) { return embedded_as<decltype(real)>(view, part); });
  }
  // rows x clusters; 0 where there are no Gaussians yet.
  Vec log_densities(std::size_t clusters, std::span<const Shared> figures, ClientView& view,
                    Part part) const {
    const Vec z = embedded(view, part);
    const std::span<const double> all = figures[0].values();
    const std::size_t size = moment_size(width_);
    if (all.size() != clusters * size) throw Error("it was sent figures of another size");
    Vec logs(z.size() / width_ * clusters, 0.0);
    for (std::size_t k = 0; k < clusters; ++k) {
      const auto at = all.begin() + static_cast<std::ptrdiff_t>(k * size);
      if (*at == 0) continue;
      const auto mean_end = at + 1 + static_cast<std::ptrdiff_t>(width_);
      const LogDensity density(
          {Vec(at + 1, mean_end), Vec(mean_end, at + static_cast<std::ptrdiff_t>(size))});
      for (std::size_t j = 0; j * width_ < z.size(); ++j) {
        logs[j * clusters + k] = density(std::span(z).subspan(j * width_, width_));
      }
    }
    return logs;
  }

  std::size_t inputs_ = 0;
  std::size_t width_ = 1;
  double ridge_ = 0;
  double rounding_ = 0;  // of what clients tell, as a share of each number
  Vec projection_;       // inputs x width
  // Moments of every client's last reply: clusters x moment_size; empty: not heard of.
  std::vector<Vec> told_;
  std::vector<Gaussian> gaussians_;  // of each cluster, the last that could be fitted
};

const Registration<TierObjective> kJoint{
    "joint", "P(x, y): clusters differ in inputs as well as in how labels follow from them (FedGMM)",
    [] { return std::make_unique<Joint>(); }};

}  // namespace
}  // namespace coterie
