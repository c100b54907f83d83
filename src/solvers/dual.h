// Local steps without touching the first layer's weights W. They move within the span of the client's own
// rows X,
//
//   W = c W0 - X' A
//
// so the sums of rows R are  c (X W0)[R] - (X X')[R] A : with X W0 and the Gram matrix X X' at hand, a pass
// over n rows costs n n h multiplications instead of 2 n d h. Exact (to rounding) with momentum, weight
// decay, a proximal term around the start, and any batch order: with D the slopes at the sums, zero outside
// the batch,
//
//   e = mu e + lam c + rho (c - 1)      B = mu B + D - (lam + rho) A
//   c = c - eta e                       A = A + eta B
//
// The tail of the model is stepped as it is.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "data/first_rows.h"
#include "data/penalty.h"
#include "math/gemm.h"
#include "math/scratch.h"
#include "solvers/steps.h"

namespace coterie {

// Whether `passes` passes in so many steps cost no more operations in the dual. A single step needs no inner
// products: it costs the same, and less where an evaluation has left its sums. Depends on sizes alone, never
// on what happens to be cached, so that the same config gives the same bits.
template <class Real>
bool dual_pays(const LocalJob<Real>& job, const StepOptions& options, double passes, std::size_t steps) {
  const FirstLayer* first = job.model.first_layer();
  const bool other_centre = job.prox > 0 && job.centre.data() != job.start.data();
  if (first == nullptr || options.momentum_survives || other_centre || job.start.empty()) return false;
  if (options.clip > 0) return false;  // lengths of gradients are not at hand
  if (!penalises_first(job.model, first->size())) return false;
  const auto n = static_cast<double>(job.data.rows);
  const auto d = static_cast<double>(first->inputs());
  const auto h = static_cast<double>(first->outputs());
  const double products = 2 * n * d * h;
  const double gram = steps > 1 ? n * n * d + 2 * passes * n * n * h : 0;
  return 2 * products + gram <= 2 * passes * products;
}

template <class Real>
class DualDescent {
 public:
  DualDescent(const StepOptions& options, LocalJob<Real>& job)
      : job_(job),
        first_(*job.model.first_layer()),
        rows_(job.data.rows),
        rate_(options.rate_of(job)),
        momentum_(static_cast<Real>(options.momentum)),
        decay_(static_cast<Real>(options.weight_decay + job.model.l2())),
        prox_(static_cast<Real>(job.prox)),
        plain_(momentum_ == 0 && decay_ == 0 && prox_ == 0),
        a_(scratch<Real, struct DualTag>(rows_ * first_.outputs())),
        b_(scratch<Real, struct DualVelocityTag>(plain_ ? 0 : rows_ * first_.outputs())),
        tail_(job.w.subspan(first_.size())),
        tail_decay_(scratch<Real, struct TailDecayTag>(tail_.size())),
        tail_gradient_(scratch<Real, struct TailGradientTag>(tail_.size())),
        tail_velocity_(scratch<Real, struct TailVelocityTag>(momentum_ == 0 ? 0 : tail_.size())) {
    check(job.w.size() == job.model.size(), "parameters of another model");
    std::copy(job.start.begin() + static_cast<std::ptrdiff_t>(first_.size()), job.start.end(), tail_.begin());
    std::fill(a_.begin(), a_.end(), Real(0));
    std::fill(b_.begin(), b_.end(), Real(0));
    std::fill(tail_velocity_.begin(), tail_velocity_.end(), Real(0));
    const Vec l2 = penalty_strengths(job.model);
    for (std::size_t j = 0; j < tail_.size(); ++j) {
      tail_decay_[j] = static_cast<Real>(options.weight_decay + l2[first_.size() + j]);
    }
  }

  // One step on all rows.
  void step() {
    const std::span<Real> sums = scratch<Real, struct DualSumTag>(rows_ * first_.outputs());
    set_sums(
        job_.first_sums(), [&] { return job_.gram(); }, sums);
    slopes(sums, job_.data.y, job_.data.weights);
    if (plain_) {
      const Real rate = rate_;
      for (std::size_t j = 0; j < a_.size(); ++j) a_[j] = std::fma(-rate, sums[j], a_[j]);
    } else {
      for (std::size_t j = 0; j < a_.size(); ++j) a_[j] = moved(j, sums[j]);
    }
    step_scalars();
  }

  // One step on some of the rows.
  void step(std::span<const std::uint32_t> rows) {
    const std::size_t h = first_.outputs();
    const std::span<Real> sums = scratch<Real, struct DualSumTag>(rows.size() * h);
    const std::span<Real> start = scratch<Real, struct DualStartTag>(rows.size() * h);
    const std::span<double> y = scratch<double, struct DualTargetTag>(rows.size());
    const std::span<double> weights =
        scratch<double, struct DualWeightTag>(job_.data.weights.empty() ? 0 : rows.size());
    const std::span<const Real> all_sums = job_.first_sums();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::copy_n(all_sums.data() + rows[i] * h, h, start.data() + i * h);
      y[i] = job_.data.y[rows[i]];
      if (!weights.empty()) weights[i] = job_.data.weights[rows[i]];
    }
    const auto gram = [&] {
      const std::span<const Real> all = job_.gram();
      const std::span<Real> some = scratch<Real, struct DualGramTag>(rows.size() * rows_);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        std::copy_n(all.data() + rows[i] * rows_, rows_, some.data() + i * rows_);
      }
      return std::span<const Real>(some);
    };
    set_sums(start, gram, sums);
    slopes(sums, y, weights);
    if (plain_) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        Real* row = a_.data() + rows[i] * h;
        for (std::size_t c = 0; c < h; ++c) row[c] = std::fma(-rate_, sums[i * h + c], row[c]);
      }
    } else {
      const std::span<Real> all = scratch<Real, struct DualSlopeTag>(a_.size());
      std::fill(all.begin(), all.end(), Real(0));
      for (std::size_t i = 0; i < rows.size(); ++i)
        std::copy_n(sums.data() + i * h, h, all.data() + rows[i] * h);
      for (std::size_t j = 0; j < a_.size(); ++j) a_[j] = moved(j, all[j]);
    }
    step_scalars();
  }

  // W, now that all steps are taken.
  void finish() {
    if (job_.late != nullptr) {
      job_.late->scale = c_;
      job_.late->factors.assign(a_.begin(), a_.end());
      return;
    }
    const Matrix<Real> w(job_.w.data(), first_.inputs(), first_.outputs());
    Matrix<const Real> base(job_.start.data(), first_.inputs(), first_.outputs());
    if (c_ != 1) {
      for (std::size_t j = 0; j < first_.size(); ++j) job_.w[j] = c_ * job_.start[j];
      base = w;
    }
    multiply_onto(base, first_rows(first_, job_.data).transposed(), matrix(a_), w);
  }

 private:
  Matrix<const Real> matrix(std::span<const Real> values) const { return matrix(values, first_.outputs()); }
  static Matrix<const Real> matrix(std::span<const Real> values, std::size_t columns) {
    return {values.data(), values.size() / columns, columns};
  }
  // sums = c start - gram A
  template <class Gram>
  void set_sums(std::span<const Real> start, const Gram& gram, std::span<Real> sums) const {
    if (steps_ == 0) {
      std::copy(start.begin(), start.end(), sums.begin());
      return;
    }
    const Matrix<Real> out(sums.data(), sums.size() / first_.outputs(), first_.outputs());
    Matrix<const Real> base = matrix(start);
    if (c_ != 1) {
      for (std::size_t j = 0; j < sums.size(); ++j) sums[j] = c_ * start[j];
      base = out;
    }
    multiply_onto(base, matrix(gram(), rows_), matrix(a_), out);
  }
  // Sums become slopes, and the tail takes its step.
  void slopes(std::span<Real> sums, std::span<const double> y, std::span<const double> weights) {
    first_.tail_gradient(std::span<const Real>(tail_), sums, y, weights, 1 / static_cast<double>(y.size()),
                         tail_gradient_);
    const Real* centre = job_.start.data() + first_.size();
    const std::size_t stepped = job_.model.trainable() - first_.size();
    for (std::size_t j = 0; j < stepped; ++j) {
      Real slope = std::fma(tail_decay_[j], tail_[j], tail_gradient_[j]);
      slope = std::fma(prox_, tail_[j] - centre[j], slope);
      if (!tail_velocity_.empty()) tail_velocity_[j] = slope = std::fma(momentum_, tail_velocity_[j], slope);
      tail_[j] = std::fma(-rate_, slope, tail_[j]);
    }
  }
  // -A after its step, given the slope D.
  Real moved(std::size_t j, Real slope) {
    b_[j] = std::fma(momentum_, b_[j], std::fma(decay_ + prox_, a_[j], slope));
    return std::fma(-rate_, b_[j], a_[j]);
  }
  void step_scalars() {
    e_ = momentum_ * e_ + decay_ * c_ + prox_ * (c_ - 1);
    c_ -= rate_ * e_;
    ++steps_;
  }

  LocalJob<Real>& job_;
  const FirstLayer& first_;
  std::size_t rows_;
  Real rate_, momentum_, decay_, prox_;  // the decay of the first layer's weights
  bool plain_;
  std::size_t steps_ = 0;
  Real c_ = 1, e_ = 0;
  std::span<Real> a_, b_;  // -A and B, rows x outputs of the first layer
  std::span<Real> tail_, tail_decay_, tail_gradient_, tail_velocity_;
};

}  // namespace coterie
