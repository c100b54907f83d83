// Empirical risk minimisation: the model that fits one client's training rows best, and the one that fits
// those of several clients. Methods that cluster clients by what each would learn alone (one-shot, ODCL, the
// start "kmeans++") ask for the first; oracles ask for the second.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "coterie/algorithm.h"

namespace coterie {

// Projected stochastic gradients (ODCL, section 4.4): from the centre of the ball,
//   w_t = P(w_{t-1} - g_t / (mu t)),   t = 1 .. steps,
// with g_t the gradient over rows drawn anew, each as likely as any other, and P the projection on |w| <=
// radius. Without a radius the first steps, of length 1 / mu, may lead far away.
struct SgdOptions {
  std::optional<double> curvature;  // mu: f(w) - mu/2 |w|^2 is convex
  std::int64_t steps = 1000;        // T
  std::int64_t batch = 1;           // rows of a stochastic gradient
  // What comes out: w_T, or the mean of w_1 .. w_T with weights in proportion to t.
  std::string average = "last";  // or "non-uniform"
  // Stop, after a pass over the rows, where squared_distance_bound() is at most this.
  std::optional<double> epsilon;

  void options(Options& o, bool used);
  void fields(Archive& a) { a(curvature, steps, batch, average, epsilon); }
};

struct ErmOptions {
  std::string solver = "exact";  // or "sgd", or "local": training by the config's own solver
  // Where a client begins: at the common model, or at a random one of its own. Of several minima of least
  // squares it ends at the shortest, or at the one nearest to its own beginning.
  std::string start = "common";  // or "own"
  double tolerance = 1e-8;       // on the gradient, relative to that at the start when it is above 1
  std::int64_t iterations = 500;
  std::optional<double> radius;  // the minimum over |w| <= radius
  SgdOptions sgd;
  std::string table;  // where a config gives them, "algorithm.odcl": what advice names

  void options(Options& o);
  // The same for methods that know the minimum itself only.
  void exact_options(Options& o);
  // The full name of one of them: "algorithm.odcl.radius".
  std::string key(const std::string& name) const { return table.empty() ? name : table + "." + name; }
  void fields(Archive& a) { a(solver, start, tolerance, iterations, radius, sgd, table); }
};

// Whether scores are linear in the parameters, and the loss is one that is convex in them.
bool is_convex(const Model& model);

// "set model.l2 = 0.001 or algorithm.odcl.radius = 10": what gives a likelihood its minimum.
std::string advice_on_bounds(const ErmOptions& options);

// What to know before clients are asked for their own models: how many of them have fewer rows than there are
// parameters, and what comes of it; that the minimum of a non-convex model is a local one. Nothing unless the
// solver is "exact".
std::vector<std::string> local_erm_warnings(const Fleet& fleet, const Setting& setting,
                                            const ErmOptions& options);
// Of these the last, for minima over several clients' rows.
std::vector<std::string> joint_erm_warnings(const Setting& setting, const ErmOptions& options);

struct Erm {
  Vec model;
  bool converged = true;  // the tolerance was met
};

// The minimum of the model's objective (mean loss + L2 term) over these rows, at double precision.
//
//   least squares   by a rank-revealing factorisation; of several minima the shortest, or, with options.start
//                   = "own", the one nearest to `start`
//   likelihood      by L-BFGS from zero. Without l2 or radius there is no minimum when a line tells the
//                   classes apart, nor, with an intercept that is not penalised, when a class has no row:
//                   then it throws Error
//   general         by L-BFGS from `start`: a stationary point, not the minimum; it may end before one, at a
//                   kink of a ReLU
//
// With a radius, what is not solved in closed form is solved by projected gradients. Throws Error when there
// are no rows, or when the loss or its minimum is not finite.
// `precision`: what the rows were rounded to; columns that depend on each other but for that are dependent.
Erm solve_erm(const Model& model, const Batch<double>& rows, const ErmOptions& options, Vec start,
              Precision precision = Precision::f64);

// A bound on |w - w*|^2, where w* is the minimum over |w| <= radius of a function f whose curvature is at
// least mu, w is in the ball, and g is the gradient of f at w:
//   min(|g|^2 / mu^2, (<g, w> + radius |g|) / mu)
// Since f(w*) >= f(w) + <g, w* - w> + mu/2 |w - w*|^2 and, w* being the minimum, f(w) >= f(w*) + mu/2 |w -
// w*|^2, mu |w - w*|^2 <= <g, w - w*>, which is at most |g| |w - w*|, and at most <g, w> + radius |g| as |w*|
// <= radius. Without a radius it is the first of the two.
double squared_distance_bound(std::span<const double> w, std::span<const double> gradient, double mu,
                              const std::optional<double>& radius);

// The inexact minimum that `options.sgd` describes: of a convex problem from zero, else from `start`.
// Converged: epsilon was met, or none is given. Throws Error as solve_erm does.
Erm solve_by_sgd(const Model& model, const Batch<double>& rows, const ErmOptions& options, Vec start,
                 Stream& stream);

// A client's own model as a job. Nothing is sent but the options: "local" and non-convex models start from
// the common model that `seed` draws, the first that random_models() makes, or with options.start = "own"
// from one that the client draws.
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
  Numbers model;
  bool converged = true;
  void fields(Archive& a) {
    a(model);
    a.overhead([&] { a(converged); });
  }
};
const Job<ErmNote, ErmReply>& erm_job();
// What the job does, for jobs of a method's own.
Erm local_erm(const ErmNote& note, ClientView& view);
ErmNote erm_note(const Setting& setting, const ErmOptions& options);

// The local models of those clients whose reply was accepted.
struct LocalModels {
  std::vector<ClientId> clients;  // ascending
  Vec values;                     // clients x parameters
  // What clients are grouped by, clients x parameters that are stepped: the values, or without the buffers
  // of a model that has some, put into `room`.
  const Vec& stepped(const Model& model, Vec& room) const;
  void fields(Archive& a) { a(clients, values); }
};

// Asks these clients for their local models, in a round. A model with a coordinate above aggregate.limit is
// left out, with an event. An event says how many did not meet the tolerance.
LocalModels ask_local_models(Fleet& fleet, const Setting& setting, const ErmOptions& options,
                             std::span<const ClientId> cohort);
// The same for all clients, before the rounds. Clients keep nothing of it.
LocalModels ask_local_models(Fleet& fleet, const Setting& setting, const ErmOptions& options);

// Says in an event how many of those asked did not meet their tolerance, if any.
void report_inexact(Fleet& fleet, std::size_t stopped, std::size_t asked);

// Each client of the cohort sends its own model, and every model becomes the mean of its clients', all of
// which count alike, whatever [aggregate] weights says. A model without clients in the cohort stays.
void average_local_models(Fleet& fleet, const Setting& setting, std::span<const ClientId> cohort,
                          const std::function<std::uint32_t(ClientId)>& cluster_of, const ErmOptions& options,
                          std::vector<Vec>& models);

// Whether this round has asked all there are, so that a method of one round is finished: not while clients
// get other samples from time to time.
bool asks_everyone(const Fleet& fleet, const Setting& setting, const Round& round);

// --- the minimum over the rows of several clients together ------------------------------------------------
struct JointErmOptions : ErmOptions {
  std::string weights = "samples";  // each client counts by its samples; or "clients": all count alike
  void options(Options& o);
};

struct SlopeNote {
  Items items;  // one item: the model
  std::uint32_t item = 0;
  void fields(Archive& a) {
    a(items);
    a.overhead([&] { a(item); });
  }
};
struct SlopeReply {
  Numbers gradient;
  double value = 0;
  void fields(Archive& a) { a(gradient, value); }
};
// A client's own objective at a model, and its gradient, computed in double.
const Job<SlopeNote, SlopeReply>& slope_job();

// The model with the least mean loss over all rows of these clients (+ L2 term), or with options.weights =
// "clients" the least mean of their own mean losses, by L-BFGS, or projected gradients where there is a
// radius: the server asks for gradients, one ask for each evaluation. Begins at zero where the problem is
// convex, so least squares of few rows end at the shortest minimum, else at `start`. What travels as float
// limits how small a gradient can be told from zero, so the tolerance is then at least 1e-5. Throws Error
// where solve_erm does, ties aside.
//
// The minimum is over the rows of those clients who answer every ask. Who misses the first is not asked
// again; where somebody misses a later one, it begins again without that one, with an event, since a function
// that changes on the way has no minimum. Where nobody answers (and fleet.quorum lets that pass), the model
// is the start, not converged, with an event.
Erm solve_joint_erm(Fleet& fleet, const Setting& setting, std::vector<ClientId> clients,
                    const JointErmOptions& options, Vec start);

// Each model becomes the minimum over the rows of its members; one without members stays as it is. An event
// tells which did not meet the tolerance.
void solve_clusters(Fleet& fleet, const Setting& setting, const std::vector<std::vector<ClientId>>& members,
                    const JointErmOptions& options, std::vector<Vec>& models);

}  // namespace coterie
