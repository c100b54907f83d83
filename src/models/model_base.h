// What the models share: both precisions from one template, checks of what is passed in, and the weights and
// L2 term of the objective.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "coterie/error.h"
#include "coterie/model.h"
#include "data/first_rows.h"
#include "math/gemm.h"
#include "math/kernels.h"
#include "math/scratch.h"

namespace coterie {

// Rows `first` .. of a batch, at most `count` of them.
template <class Real>
Batch<Real> rows_of(const Batch<Real>& batch, std::size_t first, std::size_t count) {
  count = std::min(count, batch.rows - first);
  Batch<Real> part{count, batch.width, batch.x.subspan(first * batch.width, count * batch.width), {}, {}};
  if (!batch.y.empty()) part.y = batch.y.subspan(first, count);
  if (!batch.weights.empty()) part.weights = batch.weights.subspan(first, count);
  if (!batch.backgrounds.empty()) part.backgrounds = batch.backgrounds.subspan(first, count);
  return part;
}

// Turns d loss_j / d scores_j into the slopes of  share * sum_j weight_j loss_j  and returns  sum_j weight_j
// loss_j. A row of weight 0 is gone, even when its loss is not finite.
template <class Real>
double weigh_rows(std::span<const double> weights, std::span<const double> losses, double share,
                  std::span<Real> slopes) {
  const std::size_t columns = losses.empty() ? 0 : slopes.size() / losses.size();
  double sum = 0;
  if (weights.empty()) {
    const auto factor = static_cast<Real>(share);
    for (Real& slope : slopes) slope *= factor;
    for (const double loss : losses) sum += loss;
    return sum;
  }
  for (std::size_t j = 0; j < losses.size(); ++j) {
    const double weight = weights[j];
    const std::span<Real> row = slopes.subspan(j * columns, columns);
    if (weight == 0) {
      std::fill(row.begin(), row.end(), Real(0));
    } else {
      sum += weight * losses[j];
      const auto factor = static_cast<Real>(weight * share);
      for (Real& slope : row) slope *= factor;
    }
  }
  return sum;
}

// loss = factor (score - y)^2 of rows with one score each; the scores become slopes.
template <class Real>
void squared_losses(double factor, std::span<const double> y, std::span<Real> scores,
                    std::span<double> losses) {
  for (std::size_t j = 0; j < y.size(); ++j) {
    const double residual = static_cast<double>(scores[j]) - y[j];
    losses[j] = factor * residual * residual;
    scores[j] = static_cast<Real>(2 * factor * residual);
  }
}

// Adds a row of biases to every row of sums.
template <class Real>
void add_bias(std::span<const Real> bias, std::span<Real> sums) {
  for (std::size_t i = 0; i < sums.size(); i += bias.size()) {
    for (std::size_t c = 0; c < bias.size(); ++c) sums[i + c] += bias[c];
  }
}

// The norm of each row.
template <class Real>
void row_norms(std::span<const Real> rows, std::size_t columns, std::span<double> out) {
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = std::sqrt(squared_norm(rows.subspan(i * columns, columns)));
}

// A model with a first layer. Derived supplies, for either Real and with arguments that are known to fit,
//   inputs_of(batch)                                        first_inputs()
//   losses_of(tail, sums, y, out)                           tail_losses()
//   gradient_of(tail, sums, y, weights, share, gradient)    tail_gradient()
//   norms_of(tail, sums, y, losses, slopes, features)       tail_norms()
//   outputs_of(tail, sums, out)                             tail_outputs()
//   features_of(w, batch, out)                              the input of the last layer
template <class Derived>
class ModelBase : public Model {
 public:
  void losses(std::span<const float> w, const Batch<float>& batch, std::span<double> out) const final {
    checked_losses(w, batch, out);
  }
  void losses(std::span<const double> w, const Batch<double>& batch, std::span<double> out) const final {
    checked_losses(w, batch, out);
  }
  double gradient(std::span<const float> w, const Batch<float>& batch,
                  std::span<float> gradient) const final {
    return checked_gradient(w, batch, gradient);
  }
  double gradient(std::span<const double> w, const Batch<double>& batch,
                  std::span<double> gradient) const final {
    return checked_gradient(w, batch, gradient);
  }
  void predict(std::span<const float> w, const Batch<float>& batch, std::span<double> out) const final {
    checked_predict(w, batch, out);
  }
  void predict(std::span<const double> w, const Batch<double>& batch, std::span<double> out) const final {
    checked_predict(w, batch, out);
  }
  void features(std::span<const float> w, const Batch<float>& batch, std::span<float> out) const final {
    checked_features(w, batch, out);
  }
  void features(std::span<const double> w, const Batch<double>& batch, std::span<double> out) const final {
    checked_features(w, batch, out);
  }
  const float* first_inputs(const Batch<float>& batch) const final { return derived().inputs_of(batch); }
  const double* first_inputs(const Batch<double>& batch) const final { return derived().inputs_of(batch); }
  void tail_losses(std::span<const float> tail, std::span<float> sums, std::span<const double> y,
                   std::span<double> out) const final {
    derived().losses_of(tail, sums, y, out);
  }
  void tail_losses(std::span<const double> tail, std::span<double> sums, std::span<const double> y,
                   std::span<double> out) const final {
    derived().losses_of(tail, sums, y, out);
  }
  void tail_outputs(std::span<const float> tail, std::span<float> sums, std::span<double> out) const final {
    derived().outputs_of(tail, sums, out);
  }
  void tail_outputs(std::span<const double> tail, std::span<double> sums, std::span<double> out) const final {
    derived().outputs_of(tail, sums, out);
  }
  double tail_gradient(std::span<const float> tail, std::span<float> sums, std::span<const double> y,
                       std::span<const double> weights, double share, std::span<float> gradient) const final {
    return derived().gradient_of(tail, sums, y, weights, share, gradient);
  }
  double tail_gradient(std::span<const double> tail, std::span<double> sums, std::span<const double> y,
                       std::span<const double> weights, double share,
                       std::span<double> gradient) const final {
    return derived().gradient_of(tail, sums, y, weights, share, gradient);
  }
  void tail_norms(std::span<const float> tail, std::span<float> sums, std::span<const double> y,
                  std::span<double> losses, std::span<double> slopes,
                  std::span<double> features) const final {
    derived().norms_of(tail, sums, y, losses, slopes, features);
  }
  void tail_norms(std::span<const double> tail, std::span<double> sums, std::span<const double> y,
                  std::span<double> losses, std::span<double> slopes,
                  std::span<double> features) const final {
    derived().norms_of(tail, sums, y, losses, slopes, features);
  }
  double l2() const final { return l2_; }

 protected:
  void l2_option(Options& o) { o("l2", &l2_, "adds l2/2 |w|^2 to the objective", at_least(0)); }
  void bind_shape(const Shape& shape) {
    if (shape.width == 0) throw Error("model: the samples have no features; a model needs at least one");
    shape_ = shape;
  }
  const Shape& shape() const { return shape_; }

 private:
  struct SumRoom;
  struct TailRoom;

  const Derived& derived() const { return static_cast<const Derived&>(*this); }

  template <class Real, class Work>
  void for_blocks(const Batch<Real>& batch, const Work& work) const {
    const std::size_t step = rows_at_a_time<Real>(first_layer());
    for (std::size_t begin = 0; begin < batch.rows; begin += step) work(rows_of(batch, begin, step), begin);
  }
  template <class Real>
  Matrix<const Real> inputs_of(const Batch<Real>& block) const {
    return first_rows(derived().inputs_of(block), first_layer().inputs, block);
  }
  // The sums of a block's rows, in scratch memory.
  template <class Real>
  std::span<Real> sums_of(std::span<const Real> w, const Matrix<const Real>& inputs) const {
    const FirstLayer first = first_layer();
    const std::span<Real> sums = scratch<Real, SumRoom>(inputs.rows * first.outputs);
    multiply(inputs, Matrix<const Real>(w.data(), first.inputs, first.outputs),
             Matrix<Real>(sums.data(), inputs.rows, first.outputs));
    return sums;
  }
  template <class Real>
  std::span<const Real> tail(std::span<const Real> w) const {
    return w.subspan(first_layer().size());
  }

  template <class Real>
  void check_call(std::span<const Real> w, const Batch<Real>& batch) const {
    check(shape_.width > 0, "a model that is not bound");
    check(w.size() == size(), "parameters of another model");
    check(batch.width == shape_.width && batch.x.size() == batch.rows * batch.width,
          "a batch of another shape");
    check(batch.weights.empty() || batch.weights.size() == batch.rows,
          "row weights that do not fit their batch");
    check(batch.backgrounds.empty() || batch.backgrounds.size() == batch.rows,
          "backgrounds that do not fit their batch");
  }
  template <class Real>
  void checked_losses(std::span<const Real> w, const Batch<Real>& batch, std::span<double> out) const {
    check_call(w, batch);
    check(batch.y.size() == batch.rows && out.size() == batch.rows,
          "losses need a target and a place for every row");
    for_blocks(batch, [&](const Batch<Real>& block, std::size_t begin) {
      const std::span<Real> sums = sums_of(w, inputs_of(block));
      derived().losses_of(tail(w), sums, block.y, out.subspan(begin, block.rows));
    });
  }
  template <class Real>
  double checked_gradient(std::span<const Real> w, const Batch<Real>& batch, std::span<Real> gradient) const {
    check_call(w, batch);
    check(batch.y.size() == batch.rows && gradient.size() == size(),
          "a gradient needs targets and a place to go");
    const FirstLayer first = first_layer();
    const double share = batch.rows > 0 ? 1 / static_cast<double>(batch.rows) : 0;
    const std::span<Real> tail_gradient = gradient.subspan(first.size());
    const std::span<Real> part = scratch<Real, TailRoom>(tail_gradient.size());
    double sum = 0;
    std::fill(tail_gradient.begin(), tail_gradient.end(), Real(0));
    if (batch.rows == 0) std::fill_n(gradient.begin(), first.size(), Real(0));
    for_blocks(batch, [&](const Batch<Real>& block, std::size_t begin) {
      const Matrix<const Real> inputs = inputs_of(block);
      const std::span<Real> sums = sums_of(w, inputs);
      sum += derived().gradient_of(tail(w), sums, block.y, block.weights, share, part);
      for (std::size_t j = 0; j < part.size(); ++j) tail_gradient[j] += part[j];
      multiply(inputs.transposed(), Matrix<const Real>(sums.data(), block.rows, first.outputs),
               Matrix<Real>(gradient.data(), first.inputs, first.outputs),
               begin == 0 ? Into::set : Into::add);
    });
    double value = share * sum;
    if (l2_ > 0) {
      value += 0.5 * l2_ * squared_norm(w);
      add_scaled(static_cast<Real>(l2_), w, gradient);
    }
    return value;
  }
  template <class Real>
  void checked_predict(std::span<const Real> w, const Batch<Real>& batch, std::span<double> out) const {
    check_call(w, batch);
    check(out.size() == batch.rows * outputs(), "predictions need a place to go");
    for_blocks(batch, [&](const Batch<Real>& block, std::size_t begin) {
      const std::span<Real> sums = sums_of(w, inputs_of(block));
      derived().outputs_of(tail(w), sums, out.subspan(begin * outputs(), block.rows * outputs()));
    });
  }
  template <class Real>
  void checked_features(std::span<const Real> w, const Batch<Real>& batch, std::span<Real> out) const {
    check_call(w, batch);
    check(out.size() == batch.rows * feature_width(), "features need a place to go");
    for_blocks(batch, [&](const Batch<Real>& block, std::size_t begin) {
      derived().features_of(w, block, out.subspan(begin * feature_width(), block.rows * feature_width()));
    });
  }

  double l2_ = 0;
  Shape shape_;
};

}  // namespace coterie
