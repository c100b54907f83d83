// Local empirical risk minimisation: the model that fits one client's training rows best. Methods that
// cluster clients by what each would learn alone (one-shot, ODCL, the start "kmeans++") ask for it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "coterie/algorithm.h"

namespace coterie {

struct ErmOptions {
  std::string solver = "exact";  // or "local": training by the config's own solver
  double tolerance = 1e-8;       // on the gradient, relative to that at the start when it is above 1
  std::int64_t iterations = 500;
  std::optional<double> radius;  // the minimum over |w| <= radius

  void options(Options& o);
  void fields(Archive& a) { a(solver, tolerance, iterations, radius); }
};

struct Erm {
  Vec model;
  bool converged = true;  // the tolerance was met
};

// The minimum of the model's objective (mean loss + l2/2 |w|^2) over these rows, at double precision.
//
//   least squares   by a rank-revealing factorisation; the shortest of several minima
//   likelihood      by L-BFGS from zero. Without l2 or radius there is no minimum when a line tells the
//                   classes apart: then it throws Error
//   general         by L-BFGS from `start`: a stationary point, not the minimum; it may end before one, at a
//                   kink of a ReLU
//
// With a radius, what is not solved in closed form is solved by projected gradients. Throws Error when there
// are no rows, or when the loss or its minimum is not finite.
Erm solve_erm(const Model& model, const Batch<double>& rows, const ErmOptions& options, Vec start);

// The same as a job. Nothing is sent but the options: "local" and non-convex models start from the common
// model that `seed` draws, the first that random_models() makes.
struct ErmNote {
  Items items = Items::none();
  ErmOptions options;
  std::uint64_t seed = 1;
  void fields(Archive& a) {
    a(items);
    a.overhead([&] { a(options, seed); });
  }
};
struct ErmReply {
  Vec model;
  bool converged = true;
  void fields(Archive& a) { a(model, converged); }
};
const Job<ErmNote, ErmReply>& erm_job();

// The local models of those clients whose reply was accepted.
struct LocalModels {
  std::vector<ClientId> clients;  // ascending
  Vec values;                     // clients x parameters
};

// Asks every client for its local model. A model with a coordinate above aggregate.limit is left out, with an
// event. Clients keep nothing of it. An event says how many did not meet the tolerance.
LocalModels ask_local_models(Fleet& fleet, const Setting& setting, const ErmOptions& options);

}  // namespace coterie
