// Models that are linear in their parameters: scores = features(x) W + b, and a loss of each row's scores.
// Linear regression, logistic and softmax regression differ in that loss alone.
//
// The flat vector is W (features x scores, row-major), then b. A gradient is one pass over the data: rows are
// taken in blocks that are still in cache when the second product needs them.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "math/gemm.h"
#include "math/gemv.h"
#include "math/scratch.h"
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

  std::size_t size() const final { return (map_.width() + (intercept_ ? 1 : 0)) * scores_; }
  std::vector<Layer> layers() const final {
    std::vector<Layer> all = {{"weight", 0, map_.width(), scores_}};
    if (intercept_) all.push_back({"bias", map_.width() * scores_, 1, scores_});
    return all;
  }
  std::size_t feature_width() const final { return map_.width(); }
  std::size_t head() const final { return 0; }
  double forward_flops() const final {
    return map_.flops() + 2.0 * static_cast<double>(map_.width() * scores_);
  }
  double gradient_flops() const final {
    return map_.flops() + 4.0 * static_cast<double>(map_.width() * scores_);
  }

  void init(Vec& parameters, Stream& stream) const final {
    const double usual = init_ == "bernoulli" ? 1 : 1 / std::sqrt(static_cast<double>(map_.width()));
    const double scale = init_scale_.value_or(usual);
    parameters.assign(size(), 0);
    for (double& value : parameters) {
      if (init_ == "normal") value = scale * stream.normal();
      if (init_ == "uniform") value = stream.uniform(-scale, scale);
      if (init_ == "bernoulli") value = stream.bernoulli(0.5) ? scale : 0;
    }
  }

  template <class Real>
  void losses_of(std::span<const Real> w, const Batch<Real>& batch, std::span<double> out) const {
    for_blocks(batch, [&](const Batch<Real>& block, std::size_t first) {
      const std::span<Real> scores = scores_of(w, map_(block.x.data(), block.rows), block.rows);
      derived().losses_and_slopes(block.y, scores, out.subspan(first, block.rows));
    });
  }

  template <class Real>
  double gradient_of(std::span<const Real> w, const Batch<Real>& batch, std::span<Real> gradient) const {
    const double share = batch.rows > 0 ? 1 / static_cast<double>(batch.rows) : 0;
    const std::size_t width = map_.width();
    const Real one = 1;
    double sum = 0;
    std::fill(gradient.begin(), gradient.end(), Real(0));
    for_blocks(batch, [&](const Batch<Real>& block, std::size_t) {
      const Real* features = map_(block.x.data(), block.rows);
      const std::span<Real> scores = scores_of(w, features, block.rows);
      const std::span<double> losses = scratch<double, LossRoom>(block.rows);
      derived().losses_and_slopes(block.y, scores, losses);
      sum += weigh_rows<Real>(block.weights, losses, share, scores);
      const Matrix<const Real> slopes(scores.data(), block.rows, scores_);
      multiply(Matrix<const Real>(features, block.rows, width).transposed(), slopes,
               Matrix<Real>(gradient.data(), width, scores_), Into::add);
      if (intercept_) combine_rows(&one, 0, slopes, gradient.data() + width * scores_, Into::add);
    });
    return share * sum;
  }

  template <class Real>
  void predict_of(std::span<const Real> w, const Batch<Real>& batch, std::span<double> out) const {
    for_blocks(batch, [&](const Batch<Real>& block, std::size_t first) {
      const std::span<Real> scores = scores_of(w, map_(block.x.data(), block.rows), block.rows);
      derived().scores_to_outputs(scores, out.subspan(first * this->outputs(), block.rows * this->outputs()));
    });
  }

  template <class Real>
  void features_of(std::span<const Real>, const Batch<Real>& batch, std::span<Real> out) const {
    for_blocks(batch, [&](const Batch<Real>& block, std::size_t first) {
      const Real* features = map_(block.x.data(), block.rows);
      std::copy_n(features, block.rows * map_.width(), out.data() + first * map_.width());
    });
  }

 protected:
  ScoreModel(std::string init, bool intercept) : intercept_(intercept), init_(std::move(init)) {}

  void bind_scores(const Shape& shape, std::size_t scores, std::uint64_t seed) {
    this->bind_shape(shape);
    map_.bind(shape.width, seed);
    scores_ = scores;
  }

 private:
  struct LossRoom;
  struct ScoreRoom;
  static constexpr std::size_t kBlockBytes = 256 * 1024;  // of features: half a second-level cache

  const Derived& derived() const { return static_cast<const Derived&>(*this); }

  template <class Real, class Work>
  void for_blocks(const Batch<Real>& batch, const Work& work) const {
    const std::size_t fitting = kBlockBytes / (map_.width() * sizeof(Real));
    const std::size_t step = std::clamp<std::size_t>(fitting, 8, kBlockRows);
    for (std::size_t first = 0; first < batch.rows; first += step) work(rows_of(batch, first, step), first);
  }

  // rows x scores, in scratch memory.
  template <class Real>
  std::span<Real> scores_of(std::span<const Real> w, const Real* features, std::size_t rows) const {
    const std::span<Real> scores = scratch<Real, ScoreRoom>(rows * scores_);
    const std::size_t weights = map_.width() * scores_;
    if (intercept_) {
      for (std::size_t i = 0; i < rows; ++i)
        std::copy_n(w.data() + weights, scores_, scores.data() + i * scores_);
    }
    multiply(Matrix<const Real>(features, rows, map_.width()),
             Matrix<const Real>(w.data(), map_.width(), scores_), Matrix<Real>(scores.data(), rows, scores_),
             intercept_ ? Into::add : Into::set);
    return scores;
  }

  FeatureMap map_;
  bool intercept_;
  std::string init_;
  std::optional<double> init_scale_;
  std::size_t scores_ = 0;
};

}  // namespace coterie
