// What gradient descent and its mini-batch kin share: their options, and one step,
//
//   g = gradient of the batch + weight_decay w + prox (w - centre)
//   v = momentum v + g
//   w = w - rate decay^(round-1) v
//
// Heavy-ball momentum as PyTorch has it: no (1 - momentum) on g, and the rate outside of v.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "coterie/error.h"
#include "coterie/solver.h"
#include "data/first_rows.h"
#include "data/penalty.h"
#include "math/kernels.h"
#include "math/scratch.h"

namespace coterie {

struct StepOptions {
  double rate = 0.1;
  double decay = 1;
  double momentum = 0;
  bool momentum_survives = false;
  double weight_decay = 0;

  void options(Options& o) {
    o("rate", &rate, "step size", above(0));
    o("decay", &decay, "the step size of round t is rate * decay^(t-1)",
      {"must be above 0 and at most 1", [](double value) { return value > 0 && value <= 1; }});
    o("momentum", &momentum, "heavy-ball momentum: v = momentum * v + gradient, w -= step * v",
      {"must be at least 0 and below 1", [](double value) { return value >= 0 && value < 1; }});
    o("momentum_survives", &momentum_survives,
      "keep v with the client from round to round instead of starting from zero");
    o("weight_decay", &weight_decay, "adds weight_decay * w to the gradient", at_least(0));
    o.require(!momentum_survives || momentum > 0, "momentum_survives", "needs momentum above 0");
  }
  double rate_in(std::uint32_t round) const { return rate * std::pow(decay, static_cast<double>(round) - 1); }
};

// One client's descent: holds the velocity and takes steps from gradients.
template <class Real>
class Descent {
 public:
  Descent(const StepOptions& options, LocalJob<Real>& job)
      : job_(job),
        rate_(static_cast<Real>(options.rate_in(job.round))),
        momentum_(static_cast<Real>(options.momentum)),
        weight_decay_(static_cast<Real>(options.weight_decay)),
        prox_(static_cast<Real>(job.prox)),
        gradient_(scratch<Real, struct GradientTag>(job.w.size())) {
    check(job.w.size() == job.model.size(), "parameters of another model");
    check(job.prox == 0 || job.centre.size() == job.w.size(), "a proximal term without its centre");
    check(job.momentum.empty() || job.momentum.size() == job.w.size(), "momentum of another model");
    if (!job.start.empty()) std::copy(job.start.begin(), job.start.end(), job.w.begin());
    if (options.momentum == 0) return;
    if (options.momentum_survives && !job.momentum.empty()) {
      velocity_ = job.momentum;
    } else {
      velocity_ = scratch<Real, struct VelocityTag>(job.w.size());
      std::fill(velocity_.begin(), velocity_.end(), Real(0));
    }
  }

  // Gradient over these rows, then one step. `sums`: theirs under the first layer, if known; overwritten.
  void step(const Batch<Real>& batch, std::span<Real> sums = {}) {
    if (sums.empty()) {
      StepContext<Real> step{job_.stream, job_.w.subspan(job_.model.trainable())};
      job_.model.gradient(std::span<const Real>(job_.w), batch, gradient_, &step);
    } else {
      behind_sums(batch, sums);
    }
    if (velocity_.empty()) {
      prox_ == 0 ? move<false, false>() : move<false, true>();
    } else {
      prox_ == 0 ? move<true, false>() : move<true, true>();
    }
  }

 private:
  // The gradient, with the bits that the model's own has for as few rows as it takes at a time.
  void behind_sums(const Batch<Real>& batch, std::span<Real> sums) {
    const FirstLayer& first = *job_.model.first_layer();
    const std::span<const Real> w(job_.w);
    first.tail_gradient(first.tail(w), sums, batch.y, batch.weights, 1 / static_cast<double>(batch.rows),
                        first.tail(gradient_));
    multiply(first_rows(first, batch).transposed(),
             Matrix<const Real>(sums.data(), batch.rows, first.outputs()),
             Matrix<Real>(gradient_.data(), first.inputs(), first.outputs()));
    add_penalty_slopes(job_.model, w, gradient_);
  }
  // One pass over the parameters; v and the centre are read only when they matter.
  template <bool kMomentum, bool kProx>
  void move() {
    const std::size_t size = job_.model.trainable();
    const Real* g = gradient_.data();
    const Real* centre = job_.centre.data();
    Real* v = velocity_.data();
    Real* w = job_.w.data();
    const Real rate = rate_, momentum = momentum_, weight_decay = weight_decay_, prox = prox_;
    for (std::size_t j = 0; j < size; ++j) {
      Real slope = std::fma(weight_decay, w[j], g[j]);
      if constexpr (kProx) slope = std::fma(prox, w[j] - centre[j], slope);
      if constexpr (kMomentum) v[j] = slope = std::fma(momentum, v[j], slope);
      w[j] = std::fma(-rate, slope, w[j]);
    }
  }

  LocalJob<Real>& job_;
  Real rate_;
  Real momentum_;
  Real weight_decay_;
  Real prox_;
  std::span<Real> gradient_;
  std::span<Real> velocity_;  // empty without momentum
};

}  // namespace coterie
