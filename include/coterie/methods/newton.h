// Minima of convex models by Newton's method: over the rows of several clients, of which the server sees sums
// of gradients and curvatures alone, and over a client's own rows with a pull towards another model.
//
// A minimum takes one ask for each step, 2 for least squares and 5 to 10 for likelihoods, where L-BFGS
// (methods/erm.h) takes dozens. In exchange each client sends a triangle of size (size + 1) / 2 numbers: for
// models of up to kMostCurved parameters.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "coterie/algorithm.h"

namespace coterie {

inline constexpr std::size_t kMostCurved = 1000;

// Whether the model is convex and its curvature is known here: linear, logistic and softmax regression.
bool has_curvature(const Model& model);

// The mean objective (L2 term included) over rows, at a model.
struct Curved {
  double value = 0;
  Vec gradient;
  Vec curvature;  // size x size
};
Curved curved_objective(const Model& model, std::span<const double> w, const Batch<double>& rows);

struct CurvedNote {
  Items items;  // one item: the model
  std::uint32_t item = 0;
  void fields(Archive& a) {
    a(items);
    a.overhead([&] { a(item); });
  }
};
struct CurvedReply {
  Numbers gradient;
  Numbers curvature;  // on and below the diagonal, row by row
  double value = 0;
  void fields(Archive& a) { a(gradient, curvature, value); }
};
const Job<CurvedNote, CurvedReply>& curved_job();

// The same for clients that have an intercept of their own beside the model that was sent: at the client's
// best own intercept under the pull, with what the intercept takes up left out of the curvature.
struct OwnInterceptNote {
  Items items;  // the model, then what the pull is measured by, as a triangle
  double lambda = 0;
  void fields(Archive& a) {
    a(items);
    a.overhead([&] { a(lambda); });
  }
};
const Job<OwnInterceptNote, CurvedReply>& own_intercept_job();

struct JointMinimum {
  Vec model;
  Vec curvature;  // size x size: of the mean objective, at the minimum
  double value = 0;
  double rows = 0;                // of these clients
  std::vector<ClientId> clients;  // who answered; none: the model is the start
  bool converged = false;
};

// The minimum of the mean objective over all rows of these clients, each of which has some; from zero. Who
// does not answer is left out from then on. Where a likelihood has no minimum (classes that can be told apart
// without error), it ends where a step would gain less than 1e-9 of the loss: at a finite model.
JointMinimum solve_by_newton(Fleet& fleet, const Setting& setting, std::vector<ClientId> clients);

// Intercepts that clients have of their own:  the sum over clients of
//   min over a_i of  n_i f_i(w + a_i) + lambda/2 a_i' M a_i,   a_i zero but in the model's intercepts
// is what the minimum over w is of, as in a mixed model with random intercepts. So the common weights are
// not bent by what clients differ in as a whole.
struct OwnIntercepts {
  Vec pull;  // M, as a triangle
  double lambda = 1;
};
// The search begins at `from`.
JointMinimum solve_by_newton(Fleet& fleet, const Setting& setting, std::vector<ClientId> clients,
                             const OwnIntercepts& own, Vec from);

// A client's own fit with a pull:  argmin over v of  rows f(v) + lambda/2 (v - centre)' M (v - centre),  f
// the mean objective over these rows. So lambda counts rows: a pull of 10 weighs as much as 10 rows of
// everybody's.
class PulledFit {
 public:
  // `pull` is M, size x size. The first `fixed` parameters stay at the centre.
  PulledFit(const Model& model, const Batch<double>& rows, std::span<const double> centre,
            std::span<const double> pull, std::size_t fixed = 0);
  // lambda 0: alone; of several minima one near the centre. Infinity: the centre. It is sought from a model
  // with the centre's first parameters (default: the centre), until a step gains no more than `gain` times
  // the value.
  Vec minimum(double lambda) const;
  Vec minimum(double lambda, Vec from, double gain) const;

 private:
  const Model& model_;
  const Batch<double>& rows_;
  std::span<const double> centre_, pull_;
  std::size_t fixed_;
  mutable std::optional<Vec> squares_;  // the curvature of a squared loss, which is the same everywhere
};

// Adds what makes it so to the diagonal, where the matrix is not positive definite, and solves A x = b.
Vec solve_nearly_positive(Vec a, Vec b);

// Raises the diagonal by a little of its largest number, and by more where some direction bends down: sums on
// a grid, and what travels as floats, leave such directions where a curvature has none. A pull by them would
// push.
void raise_diagonal(Vec& curvature, std::size_t size, Precision precision);

// The numbers on and below the diagonal of a symmetric matrix, row by row; and back.
Vec triangle_of(std::span<const double> matrix, std::size_t size);
Vec from_triangle(std::span<const double> triangle, std::size_t size);

}  // namespace coterie
