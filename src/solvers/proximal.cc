// The proximal step of FedProx as FedMD has it (Su, Xu and Yang, Phase 2, line 8):
//
//   w = argmin  L_i(w) + 1/(2 rate) |w - start|^2
//
// Linear regression is solved exactly, by a system of as many equations as there are rows or parameters,
// whichever are fewer; other losses by L-BFGS. A proximal term of the method's own (fedprox) and the model's
// L2 term are part of the minimum.
//
// Choose it where gradient steps drift or diverge: it is stable for any rate. `gd` with a few steps costs
// less for other losses.
//
// Where the loss is not squared, the minimum is met to `tolerance`, or as near as `iterations` lead.
#include <algorithm>
#include <cmath>
#include <span>

#include "coterie/error.h"
#include "coterie/methods/first_layer.h"
#include "coterie/solver.h"
#include "data/penalty.h"
#include "math/gemm.h"
#include "math/gemv.h"
#include "math/minimise.h"
#include "math/positive.h"

namespace coterie {
namespace {

constexpr const char* kNoSolution = "its proximal step has no solution: its samples are not finite";

// What the quadratic terms add up to: strength/2 |w - centre|^2.
struct Pull {
  double strength = 0;
  Vec centre;
};

class Proximal : public Solver {
 public:
  void options(Options& o) override {
    o("rate", &rate_, "eta: the pull towards the start is 1/(2 rate) times the squared distance", above(0));
    o("tolerance", &tolerance_, "gradient at which the minimum is met, for losses that are not squared",
      above(0));
    o("iterations", &iterations_, "most steps of L-BFGS", between(1, 1000000));
  }
  void train(LocalJob<float>& job) const override { solve(job); }
  void train(LocalJob<double>& job) const override { solve(job); }
  double rate(std::uint32_t) const override { return rate_; }
  double passes(std::size_t) const override { return 1; }

 private:
  template <class Real>
  void solve(LocalJob<Real>& job) const {
    const bool squares = job.model.loss_kind() == LossKind::squared && job.model.depth() == 1 &&
                         job.model.first_layer() != nullptr && job.model.trainable() == job.model.size();
    if (squares && job.data.rows > 0 && can_use_kept(job)) return solve_from_kept(job);
    const std::span<const Real> start = job.start.empty() ? std::span<const Real>(job.w) : job.start;
    Vec w(start.begin(), start.end());
    if (job.data.rows > 0) {
      Pull pull{1 / rate_ + job.prox, Vec(w.size())};
      for (std::size_t j = 0; j < w.size(); ++j) {
        const double held = job.prox == 0 ? 0 : job.prox * static_cast<double>(job.centre[j]);
        pull.centre[j] = (w[j] / rate_ + held) / pull.strength;
      }
      w = squares ? solve_squares(job, pull) : descend(job, std::move(w), pull);
    }
    std::copy(w.begin(), w.end(), job.w.begin());
  }

  // Whether the inner products of the rows and their sums at the start, which a client keeps or has from its
  // choice of a model, are all that the solution needs.
  template <class Real>
  static bool can_use_kept(const LocalJob<Real>& job) {
    const bool plain = job.prox == 0 && job.model.l2() == 0 && job.data.weights.empty();
    return plain && job.gram && job.first_sums && job.data.rows <= job.w.size() &&
           job.model.first_layer()->size() == job.w.size();
  }

  // solve_squares() for more parameters than rows, around the start alone.
  template <class Real>
  void solve_from_kept(LocalJob<Real>& job) const {
    const std::size_t n = job.data.rows, d = job.w.size();
    const std::span<const Real> sums = job.first_sums(), gram = job.gram();
    Vec system(gram.begin(), gram.end()), gaps(n);
    const double ridge = static_cast<double>(n) / (2 * rate_ * job.model.loss_factor());
    for (std::size_t i = 0; i < n; ++i) {
      system[i * n + i] += ridge;
      gaps[i] = job.data.y[i] - static_cast<double>(sums[i]);
    }
    if (!solve_positive(system, gaps)) throw Error(kNoSolution);
    const std::vector<Real> factors(gaps.begin(), gaps.end());
    std::copy(job.start.begin(), job.start.end(), job.w.begin());
    combine_rows(factors.data(), 1, Matrix<const Real>(job.model.first_layer()->first_inputs(job.data), n, d),
                 job.w.data(), Into::add);
  }

  // With rows X scaled by the roots of their weights and gaps r = y - X centre, w = centre + u for the u with
  // least |X u - r|^2 + ridge |u|^2:  u = X' (X X' + ridge)^-1 r = (X' X + ridge)^-1 X' r. Columns that the
  // L2 term leaves alone are stretched, so that one ridge serves all.
  template <class Real>
  static Vec solve_squares(const LocalJob<Real>& job, Pull pull) {
    const std::size_t n = job.data.rows, d = job.w.size();
    const double strongest = pull.strength + job.model.l2();
    const Vec l2 = penalty_strengths(job.model);
    Vec stretch(d);
    for (std::size_t j = 0; j < d; ++j) {
      pull.centre[j] *= pull.strength / (pull.strength + l2[j]);
      stretch[j] = std::sqrt(strongest / (pull.strength + l2[j]));
    }
    const double ridge = static_cast<double>(n) * strongest / (2 * job.model.loss_factor());
    Vec x = design(job);
    Vec gaps(n);
    const Matrix<const double> rows(x.data(), n, d);
    dots(rows, pull.centre.data(), gaps.data(), Into::set);
    for (std::size_t i = 0; i < n; ++i) {
      const double root = job.data.weights.empty() ? 1 : std::sqrt(job.data.weights[i]);
      gaps[i] = root * (job.data.y[i] - gaps[i]);
      for (std::size_t j = 0; j < d; ++j) x[i * d + j] *= root * stretch[j];
    }
    Vec u(d);
    if (n <= d) {
      solve_ridged(rows, rows.transposed(), ridge, gaps);
      combine_rows(gaps.data(), 1, rows, u.data(), Into::set);
    } else {
      combine_rows(gaps.data(), 1, rows, u.data(), Into::set);
      solve_ridged(rows.transposed(), rows, ridge, u);
    }
    for (std::size_t j = 0; j < d; ++j) u[j] = u[j] * stretch[j] + pull.centre[j];
    return u;
  }

  // b becomes (left right + ridge)^-1 b.
  static void solve_ridged(Matrix<const double> left, Matrix<const double> right, double ridge, Vec& b) {
    const std::size_t size = b.size();
    Vec system(size * size);
    multiply(left, right, Matrix<double>(system.data(), size, size));
    for (std::size_t i = 0; i < size; ++i) system[i * size + i] += ridge;
    if (!solve_positive(system, b)) throw Error(kNoSolution);
  }

  // What the scores are linear in: inputs of the first layer, then 1 where there is an intercept.
  template <class Real>
  static Vec design(const LocalJob<Real>& job) {
    const std::size_t n = job.data.rows, d = job.w.size(), inputs = job.model.first_layer()->inputs();
    const Real* from = job.model.first_layer()->first_inputs(job.data);
    Vec x(n * d, 1.0);
    for (std::size_t i = 0; i < n; ++i) {
      std::copy_n(from + i * inputs, inputs, x.begin() + static_cast<std::ptrdiff_t>(i * d));
    }
    return x;
  }

  template <class Real>
  Vec descend(const LocalJob<Real>& job, Vec w, const Pull& pull) const {
    const Vec x(job.data.x.begin(), job.data.x.end());
    const Batch<double> rows{job.data.rows, job.data.width, x, job.data.y, job.data.weights};
    const Smooth objective = [&](std::span<const double> at, std::span<double> gradient) {
      double value = job.model.gradient(at, rows, gradient);
      for (std::size_t j = 0; j < job.model.trainable(); ++j) {
        const double gap = at[j] - pull.centre[j];
        value += 0.5 * pull.strength * gap * gap;
        gradient[j] += pull.strength * gap;
      }
      return value;
    };
    return minimise(objective, std::move(w), {tolerance_, static_cast<std::size_t>(iterations_)}).x;
  }

  double rate_ = 0.1;
  double tolerance_ = 1e-8;
  std::int64_t iterations_ = 200;
};

const Registration<Solver> kProximal{"proximal",
                                     "the exact minimum of the loss plus a pull towards the start",
                                     [] { return std::make_unique<Proximal>(); }};

}  // namespace
}  // namespace coterie
