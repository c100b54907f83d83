// What gradient descent and its mini-batch kin share: their options, and one step,
//
//   g = gradient of the batch, shortened to the length `clip` where it is longer
//   g = g + weight_decay w + prox (w - centre)
//   v = momentum v + g
//   w = w - rate decay^(round-1) v
//
// Heavy-ball momentum as PyTorch has it: no (1 - momentum) on g, and the rate outside of v. Clipping is that
// of torch.nn.utils.clip_grad_norm_ before the step, without the 1e-6 that it adds to the norm.
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

// The step size of a round, given or agreed.
struct RateOptions {
  AutoNumber rate;
  double decay = 1;
  double agreed = 0;              // where rate is "auto"
  double agreed_of_gradient = 0;  // for one step on a whole gradient, where another suits it

  void options(Options& o) {
    o("rate", &rate, "step size; \"auto\": the run finds one that suits all clients before it begins",
      above(0));
    o("decay", &decay, "the step size of round t is rate * decay^(t-1)",
      {"must be above 0 and at most 1", [](double value) { return value > 0 && value <= 1; }});
  }
  bool is_auto() const { return !rate.given; }
  void agree(double found, double of_gradient) {
    agreed = found;
    agreed_of_gradient = of_gradient;
  }
  double in_round(std::uint32_t round, double instead = 0) const {
    const double first = instead > 0 ? instead : rate.given.value_or(agreed);
    check(first > 0, "a step before a rate was agreed");
    return first * std::pow(decay, static_cast<double>(round) - 1);
  }
  double of_gradient(std::uint32_t round) const {
    return in_round(round, is_auto() ? agreed_of_gradient : 0);
  }
};

// A pull of strength prox adds as much to the curvature for which a rate was found: 1 / L becomes 1 / (L +
// prox). A rate that was given stays as it is.
inline double pulled_rate(const RateOptions& options, double rate, double prox) {
  return options.is_auto() ? rate / (1 + rate * prox) : rate;
}

// The gradient's trainable part is made no longer than `most`; 0: left as it is.
template <class Real>
void clip_gradient(std::span<Real> gradient, double most) {
  if (most == 0) return;
  const double length = std::sqrt(squared_norm(std::span<const Real>(gradient)));
  if (!(length > most)) return;
  const auto factor = static_cast<Real>(most / length);
  for (Real& slope : gradient) slope *= factor;
}

struct StepOptions {
  RateOptions rate;
  double momentum = 0;
  bool momentum_survives = false;
  double weight_decay = 0;
  double clip = 0;

  void options(Options& o) {
    rate.options(o);
    o("momentum", &momentum, "heavy-ball momentum: v = momentum * v + gradient, w -= step * v",
      {"must be at least 0 and below 1", [](double value) { return value >= 0 && value < 1; }});
    o("momentum_survives", &momentum_survives,
      "keep v with the client from round to round instead of starting from zero");
    o("weight_decay", &weight_decay, "adds weight_decay * w to the gradient", at_least(0));
    o("clip", &clip, "the longest gradient of a step: longer ones are shortened to it; 0: none are",
      at_least(0));
    o.require(!momentum_survives || momentum > 0, "momentum_survives", "needs momentum above 0");
  }
  template <class Real>
  Real rate_of(const LocalJob<Real>& job) const {
    return static_cast<Real>(
        pulled_rate(rate, rate.in_round(job.round, job.rate), job.prox / (1 - momentum)));
  }
  // With momentum a slope that stays the same moves w by rate / (1 - momentum) a step in the end.
  double rate_for(double smoothness) const { return (1 - momentum) / (smoothness + weight_decay); }
};

// One client's descent: holds the velocity and takes steps from gradients.
template <class Real>
class Descent {
 public:
  Descent(const StepOptions& options, LocalJob<Real>& job)
      : job_(job),
        rate_(options.rate_of(job)),
        clip_(options.clip),
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
    clip_gradient(gradient_.first(job_.model.trainable()), clip_);
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
  double clip_;
  Real momentum_;
  Real weight_decay_;
  Real prox_;
  std::span<Real> gradient_;
  std::span<Real> velocity_;  // empty without momentum
};

}  // namespace coterie
