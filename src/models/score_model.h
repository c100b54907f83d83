// Models that are linear in their parameters: scores = features(x) W + b, and a loss of each row's scores.
// Linear regression, logistic and softmax regression differ in that loss alone.
//
// The flat vector is W (features x scores, row-major), then b: W is the first layer, b the tail.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "math/gemv.h"
#include "models/feature_map.h"
#include "models/model_base.h"

namespace coterie {

// Derived supplies, for either Real,
//   losses_and_slopes(y, scores, losses)   losses of the rows; scores become d loss / d scores
//   scores_to_outputs(scores, out)         scores may be overwritten
template <class Derived>
class ScoreModel : public ModelBase<Derived> {
 public:
  void options(Options& o) override {
    map_.options(o);
    o("intercept", &intercept_, "adds a constant to the scores; its parameters come last");
    this->l2_option(o);
    o.choice("init", init_, {"zero", "normal", "uniform", "bernoulli"},
             "distribution of initial parameters; all models of \"zero\" are equal, so clusters cannot form");
    o("init_scale", &init_scale_,
      "deviation (normal), half-width (uniform) or value (bernoulli: it or 0, evenly); 1/sqrt(features), and "
      "1 for "
      "bernoulli, when not given",
      at_least(0));
  }

  double forward_flops() const final {
    return map_.flops() + 2.0 * static_cast<double>(map_.width() * scores_);
  }
  double gradient_flops() const final {
    return map_.flops() + 4.0 * static_cast<double>(map_.width() * scores_);
  }

  void init(Vec& parameters, Stream& stream) const final {
    const double usual = init_ == "bernoulli" ? 1 : 1 / std::sqrt(static_cast<double>(map_.width()));
    const double scale = init_scale_.value_or(usual);
    parameters.assign(this->size(), 0);
    for (double& value : parameters) {
      if (init_ == "normal") value = scale * stream.normal();
      if (init_ == "uniform") value = stream.uniform(-scale, scale);
      if (init_ == "bernoulli") value = stream.bernoulli(0.5) ? scale : 0;
    }
  }

  template <class Real>
  const Real* inputs_of(const Batch<Real>& batch) const {
    return map_(batch.x.data(), batch.rows);
  }
  template <class Real>
  void losses_of(std::span<const Real> tail, std::span<Real> sums, std::span<const double> y,
                 std::span<double> out) const {
    if (intercept_) add_bias(tail, sums);
    derived().losses_and_slopes(y, sums, out);
  }
  template <class Real>
  double gradient_of(std::span<const Real> tail, std::span<Real> sums, std::span<const double> y,
                     std::span<const double> weights, double share, std::span<Real> gradient) const {
    const Real one = 1;
    const std::span<double> losses = scratch<double, LossRoom>(y.size());
    losses_of(tail, sums, y, losses);
    const double sum = weigh_rows<Real>(weights, losses, share, sums);
    if (intercept_) {
      combine_rows(&one, 0, Matrix<const Real>(sums.data(), y.size(), scores_), gradient.data(), Into::set);
    }
    return sum;
  }
  template <class Real>
  void norms_of(std::span<const Real> tail, std::span<Real> sums, std::span<const double> y,
                std::span<double> losses, std::span<double> slopes, std::span<double> features) const {
    losses_of(tail, sums, y, losses);
    row_norms(std::span<const Real>(sums), scores_, slopes);
    std::fill(features.begin(), features.end(), 0.0);
  }
  template <class Real>
  void outputs_of(std::span<const Real> tail, std::span<Real> sums, std::span<double> out) const {
    if (intercept_) add_bias(tail, sums);
    derived().scores_to_outputs(sums, out);
  }
  template <class Real>
  void features_of(std::span<const Real>, const Batch<Real>& batch, std::span<Real> out) const {
    std::copy_n(inputs_of(batch), batch.rows * map_.width(), out.data());
  }

 protected:
  ScoreModel(std::string init, bool intercept) : intercept_(intercept), init_(std::move(init)) {}

  std::vector<Layer> layers_with(const Shape& shape, std::size_t scores, std::uint64_t seed) {
    map_.bind(shape.width, seed);
    scores_ = scores;
    this->bind_first(map_.width(), scores_);
    std::vector<Layer> all = {{.name = "weight", .shape = {scores_, map_.width()}, .inputs_first = true}};
    if (intercept_) all.push_back({.name = "bias", .offset = map_.width() * scores_, .shape = {scores_}});
    return all;
  }

 private:
  struct LossRoom;

  const Derived& derived() const { return static_cast<const Derived&>(*this); }

  FeatureMap map_;
  bool intercept_;
  std::string init_;
  std::optional<double> init_scale_;
  std::size_t scores_ = 0;
};

}  // namespace coterie
