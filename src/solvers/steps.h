// What gradient descent and its mini-batch kin share: their options, and one step.
#pragma once

#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "coterie/solver.h"
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
    o("decay", &decay, "the step size of round t is rate * decay^(t-1)", between(0, 1));
    o("momentum", &momentum, "heavy-ball momentum: v = momentum * v + gradient, w -= step * v",
      between(0, 1));
    o("momentum_survives", &momentum_survives,
      "keep v with the client from round to round instead of starting from zero");
    o("weight_decay", &weight_decay, "adds weight_decay * w to the gradient", at_least(0));
  }
  double rate_in(std::uint32_t round) const { return rate * std::pow(decay, static_cast<double>(round) - 1); }
};

// One client's descent: holds the velocity and takes steps from gradients.
template <class Real>
class Descent {
 public:
  Descent(const StepOptions& options, LocalJob<Real>& job)
      : options_(options), job_(job), rate_(static_cast<Real>(options.rate_in(job.round))) {
    std::size_t size = job.w.size();
    gradient_ = scratch<Real, struct GradientTag>(size);
    bool survives = options.momentum_survives && !job.momentum.empty();
    velocity_ = survives ? job.momentum : scratch<Real, struct VelocityTag>(size);
    if (!survives) std::fill(velocity_.begin(), velocity_.end(), Real(0));
  }

  // Gradient over these rows, then one step.
  void step(const Batch<Real>& batch) {
    job_.model.gradient(std::span<const Real>(job_.w), batch, gradient_);
    auto mu = static_cast<Real>(options_.momentum);
    auto decay = static_cast<Real>(options_.weight_decay);
    auto prox = static_cast<Real>(job_.prox);
    const Real* centre = job_.centre.data();
    Real* w = job_.w.data();
    Real* v = velocity_.data();
    const Real* g = gradient_.data();
    std::size_t size = job_.w.size();
    if (prox != 0) {
      for (std::size_t j = 0; j < size; ++j) {
        v[j] = std::fma(mu, v[j], std::fma(prox, w[j] - centre[j], std::fma(decay, w[j], g[j])));
        w[j] = std::fma(-rate_, v[j], w[j]);
      }
    } else {
      for (std::size_t j = 0; j < size; ++j) {
        v[j] = std::fma(mu, v[j], std::fma(decay, w[j], g[j]));
        w[j] = std::fma(-rate_, v[j], w[j]);
      }
    }
  }

 private:
  const StepOptions& options_;
  LocalJob<Real>& job_;
  Real rate_;
  std::span<Real> gradient_;
  std::span<Real> velocity_;
};

}  // namespace coterie
