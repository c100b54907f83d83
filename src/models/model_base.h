// What the models with a first layer share: kernels that work on some rows at a time, and the weights and L2
// term of the objective.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "coterie/error.h"
#include "coterie/methods/first_layer.h"
#include "coterie/model.h"
#include "data/first_rows.h"
#include "data/penalty.h"
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
// what FirstLayerOf asks for (coterie/methods/first_layer.h), and
//   features_of(w, batch, out)    the input of the last layer
template <class Derived>
class ModelBase : public ModelOf<Derived> {
 public:
  const FirstLayer* first_layer() const final { return &first_; }
  double l2() const final { return l2_; }
  bool penalises(const Layer& layer) const final { return penalise_intercept_ || layer.is_matrix(); }

  template <class Real>
  void losses_as(std::span<const Real> w, const Batch<Real>& batch, std::span<double> out) const {
    for_blocks(batch, [&](const Batch<Real>& block, std::size_t begin) {
      const std::span<Real> sums = sums_of(w, inputs_of(block));
      derived().losses_of(first_.tail(w), sums, block.y, out.subspan(begin, block.rows));
    });
  }
  template <class Real>
  double gradient_as(std::span<const Real> w, const Batch<Real>& batch, std::span<Real> gradient) const {
    const double share = batch.rows > 0 ? 1 / static_cast<double>(batch.rows) : 0;
    const std::span<Real> tail_gradient = first_.tail(gradient);
    const std::span<Real> part = scratch<Real, TailRoom>(tail_gradient.size());
    double sum = 0;
    std::fill(tail_gradient.begin(), tail_gradient.end(), Real(0));
    if (batch.rows == 0) std::fill_n(gradient.begin(), first_.size(), Real(0));
    for_blocks(batch, [&](const Batch<Real>& block, std::size_t begin) {
      const Matrix<const Real> inputs = inputs_of(block);
      const std::span<Real> sums = sums_of(w, inputs);
      sum += derived().gradient_of(first_.tail(w), sums, block.y, block.weights, share, part);
      for (std::size_t j = 0; j < part.size(); ++j) tail_gradient[j] += part[j];
      multiply(inputs.transposed(), Matrix<const Real>(sums.data(), block.rows, first_.outputs()),
               Matrix<Real>(gradient.data(), first_.inputs(), first_.outputs()),
               begin == 0 ? Into::set : Into::add);
    });
    double value = share * sum;
    if (l2_ > 0) {
      value += penalty(*this, w);
      add_penalty_slopes(*this, w, gradient);
    }
    return value;
  }
  template <class Real>
  void predict_as(std::span<const Real> w, const Batch<Real>& batch, std::span<double> out) const {
    const std::size_t outputs = this->outputs();
    for_blocks(batch, [&](const Batch<Real>& block, std::size_t begin) {
      const std::span<Real> sums = sums_of(w, inputs_of(block));
      derived().outputs_of(first_.tail(w), sums, out.subspan(begin * outputs, block.rows * outputs));
    });
  }
  template <class Real>
  void features_as(std::span<const Real> w, const Batch<Real>& batch, std::span<Real> out) const {
    const std::size_t width = this->feature_width();
    for_blocks(batch, [&](const Batch<Real>& block, std::size_t begin) {
      derived().features_of(w, block, out.subspan(begin * width, block.rows * width));
    });
  }

 protected:
  void l2_option(Options& o) {
    o("l2", &l2_, "adds l2/2 |w|^2 to the objective, over weights but not over biases", at_least(0));
    o("penalise_intercept", &penalise_intercept_, "l2 is over biases (intercepts) too");
  }
  void bind_first(std::size_t inputs, std::size_t outputs) { first_.bind(derived(), inputs, outputs); }
  const FirstLayerOf<Derived>& first() const { return first_; }

 private:
  struct SumRoom;
  struct TailRoom;

  const Derived& derived() const { return static_cast<const Derived&>(*this); }

  template <class Real, class Work>
  void for_blocks(const Batch<Real>& batch, const Work& work) const {
    const std::size_t step = rows_at_a_time<Real>(&first_);
    for (std::size_t begin = 0; begin < batch.rows; begin += step) work(rows_of(batch, begin, step), begin);
  }
  template <class Real>
  Matrix<const Real> inputs_of(const Batch<Real>& block) const {
    return first_rows(derived().inputs_of(block), first_.inputs(), block);
  }
  // The sums of a block's rows, in scratch memory.
  template <class Real>
  std::span<Real> sums_of(std::span<const Real> w, const Matrix<const Real>& inputs) const {
    const std::span<Real> sums = scratch<Real, SumRoom>(inputs.rows * first_.outputs());
    multiply(inputs, Matrix<const Real>(w.data(), first_.inputs(), first_.outputs()),
             Matrix<Real>(sums.data(), inputs.rows, first_.outputs()));
    return sums;
  }

  FirstLayerOf<Derived> first_;
  double l2_ = 0;
  bool penalise_intercept_ = false;
};

}  // namespace coterie
