// How a client trains on its own data.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "coterie/model.h"

namespace coterie {

// The first layer's weights as  scale * start + inputs' factors,  factors being rows x outputs: what a solver
// may leave instead of computing them.
template <class Real>
struct LateWeights {
  Real scale = 1;
  std::vector<Real> factors;  // empty: the weights are in w
};

// One client's training job. Solvers set `w` and change `momentum`, and leave the rest alone. They step the
// trainable parameters only; buffers are what the model's gradient makes of them, and else those of the
// start.
template <class Real>
struct LocalJob {
  const Model& model;
  Batch<Real> data;  // with row weights, if the method has them
  std::span<Real> w;
  // A proximal term  prox/2 |w - centre|^2 ; centre is not read when prox is 0.
  double prox = 0;
  std::span<const Real> centre;
  // Kept between rounds when the config says momentum survives: empty, or one number a parameter.
  std::span<Real> momentum;
  std::uint32_t round = 1;  // counts from 1; for step decay
  double rate = 0;          // if above 0: the step size, instead of the solver's own
  Stream& stream;           // batch order, and what a model draws in its steps
  // Where training begins; empty: at what w holds.
  std::span<const Real> start = {};
  // For models with a first layer: the sums of all rows at the start, and the inner products of all pairs of
  // its inputs (rows x rows). Made when first asked for.
  std::function<std::span<const Real>()> first_sums = nullptr;
  bool summed = false;  // these sums are known already
  std::function<std::span<const Real>()> gram = nullptr;
  LateWeights<Real>* late = nullptr;  // if given, may be set instead of the first layer in w
};

class Solver {
 public:
  virtual ~Solver() = default;
  virtual void options(Options& o) = 0;
  virtual void train(LocalJob<float>& job) const = 0;
  virtual void train(LocalJob<double>& job) const = 0;
  // Whether a momentum buffer is to be kept with the client between rounds.
  virtual bool momentum_survives() const { return false; }
  // Whether a round is one step of size rate() on the gradient over all rows, and nothing else.
  virtual bool plain() const { return false; }
  // The step size in a round.
  virtual double rate(std::uint32_t round) const = 0;
  // That of a method which takes one step on the gradient of a client's rows instead of training
  // (Algorithm::steps_on_gradients).
  virtual double gradient_rate(std::uint32_t round) const { return rate(round); }
  // Whether the config leaves the rate to the run, which then finds one before anything is trained and says
  // it here, to server and clients alike (fleet/rate.h).
  virtual bool wants_rate() const { return false; }
  virtual void agree_rate(double rate, double of_gradient) {
    (void)rate;
    (void)of_gradient;
  }
  // The rate that suits an objective whose slopes change by at most `smoothness` times the way between two
  // points; nothing where no such rule holds, and the rate must be tried out.
  virtual std::optional<double> rate_for(double smoothness) const {
    (void)smoothness;
    return std::nullopt;
  }
  // Rows of a step, of a client's n.
  virtual std::size_t step_rows(std::size_t n) const { return n; }
  // Passes over a client's n samples in a round, for FLOP counts.
  virtual double passes(std::size_t n) const = 0;
};

}  // namespace coterie
