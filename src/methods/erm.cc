#include "coterie/methods/erm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/option_readers.h"
#include "base/text.h"
#include "coterie/methods/slots.h"
#include "data/penalty.h"
#include "math/kernels.h"
#include "math/least_squares.h"
#include "math/minimise.h"
#include "methods/stepped_ball.h"

namespace coterie {
namespace {

// An ask of its own among those of the trials of a start, which count from 256 times the trial.
constexpr std::uint16_t kAsk = 255;

[[noreturn]] void refuse_separable(const std::string& why, const ErmOptions& options) {
  throw Error(fmt::format("{}, so its loss has no minimum: {}, or {} = \"local\"", why,
                          advice_on_bounds(options), options.key("solver")));
}

// What the scores are linear in: the features, and 1 where there is an intercept.
Vec design(const Model& model, const Batch<double>& rows, std::size_t columns) {
  const std::size_t width = model.feature_width();
  Vec features(rows.rows * width);
  model.features(Vec(model.size(), 0.0), rows, features);
  if (columns == width) return features;
  Vec out(rows.rows * columns, 1.0);
  for (std::size_t i = 0; i < rows.rows; ++i) {
    std::copy_n(features.begin() + static_cast<std::ptrdiff_t>(i * width), width,
                out.begin() + static_cast<std::ptrdiff_t>(i * columns));
  }
  return out;
}

// What rounding to the run's precision leaves unknown in each column of a design.
Vec rounding_of(std::span<const double> x, std::size_t columns, Precision precision) {
  const double share = precision == Precision::f32 ? std::numeric_limits<float>::epsilon()
                                                   : std::numeric_limits<double>::epsilon();
  Vec largest(columns, 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    largest[i % columns] = std::max(largest[i % columns], std::fabs(x[i]));
  }
  for (double& one : largest) one *= share;
  return largest;
}

Vec solve_any_rank(Matrix<const double> x, std::span<const double> y, double ridge,
                   std::span<const double> rounding) {
  return ridge > 0 ? least_squares(x, y, ridge) : least_squares_rounded(x, y, rounding);
}

// The same with an intercept, which comes last and which the L2 term leaves alone: rows and targets around
// their means have none, and it is what the means leave over.
Vec solve_around_means(const Model& model, const Batch<double>& rows, double ridge, Precision precision) {
  const std::size_t width = model.size() - 1;
  const auto count = static_cast<double>(rows.rows);
  Vec x = design(model, rows, width), means(width, 0.0), gaps(rows.y.begin(), rows.y.end());
  const Vec rounding = rounding_of(x, width, precision);
  double mean = 0;
  for (std::size_t i = 0; i < rows.rows; ++i) {
    mean += rows.y[i] / count;
    for (std::size_t j = 0; j < width; ++j) means[j] += x[i * width + j] / count;
  }
  for (std::size_t i = 0; i < rows.rows; ++i) {
    gaps[i] -= mean;
    for (std::size_t j = 0; j < width; ++j) x[i * width + j] -= means[j];
  }
  Vec w = solve_any_rank(Matrix<const double>(x.data(), rows.rows, width), gaps, ridge, rounding);
  w.push_back(mean - dot(means, w));
  return w;
}

// Whether an L2 term, if there is one, is over all parameters, or over all but the intercept of one score.
bool has_closed_form(const Model& model) {
  return penalises_all(model) ||
         (trailing_intercepts(model) == 1 && penalises_first(model, model.size() - 1));
}

// The minimum, the nearest to `from` of several. With an L2 term there is one, wherever one begins.
Vec solve_squares(const Model& model, const Batch<double>& rows, Vec from, Precision precision) {
  const double ridge = static_cast<double>(rows.rows) * model.l2() / (2 * model.loss_factor());
  if (!penalises_all(model)) return solve_around_means(model, rows, ridge, precision);
  const Vec x = design(model, rows, model.size());
  const Matrix<const double> matrix(x.data(), rows.rows, model.size());
  const Vec rounding = rounding_of(x, model.size(), precision);
  if (ridge > 0 || squared_norm(from) == 0) return solve_any_rank(matrix, rows.y, ridge, rounding);
  Vec gaps(rows.y.begin(), rows.y.end());
  for (std::size_t i = 0; i < rows.rows; ++i) {
    gaps[i] -= dot(std::span<const double>(x).subspan(i * model.size(), model.size()), from);
  }
  add_scaled(1.0, least_squares_rounded(matrix, gaps, rounding), from);
  return from;
}

// With an intercept, the score of a class that is absent can fall for ever.
void refuse_absent_class(const Model& model, const Batch<double>& rows, const ErmOptions& options) {
  if (trailing_intercepts(model) == 0) return;
  std::vector<std::size_t> counts(model.outputs(), 0);
  for (double y : rows.y) ++counts[static_cast<std::size_t>(y)];
  for (std::size_t c = 0; c < counts.size(); ++c) {
    if (counts[c] > 0) continue;
    throw Error(fmt::format(
        "it has no row of class {}, so its loss has no minimum: set model.l2 = 0.001 (a weak penalty) "
        "and model.penalise_intercept = true, or {} = 10, or {} = \"local\"",
        c, options.key("radius"), options.key("solver")));
  }
}

// L-BFGS without any bound on w: the data must not be separable.
Minimum solve_likelihood(const Model& model, const Batch<double>& rows, const Smooth& objective,
                         const ErmOptions& erm, MinimiseOptions options) {
  refuse_absent_class(model, rows, erm);
  // A sum of losses below log 2 is proof that every row is on its right side.
  double least = 1;
  for (double w : rows.weights) least = w > 0 ? std::min(least, w) : least;
  const double all_right = least * std::log(2.0) / static_cast<double>(rows.rows);
  Minimum found =
      minimise(objective, Vec(model.size(), 0.0), options, [&](double value) { return value < all_right; });
  if (found.value < all_right) refuse_separable("its classes can be told apart without error", erm);
  if (!found.converged) return found;
  // Where some rows lie on the line itself, the others' losses still fall for ever: by as much again for
  // every digit of the gradient. At a minimum they stay.
  options.tolerance /= 1000;
  options.iterations = 100;
  Minimum further = minimise(objective, found.x, options);
  Vec before(rows.rows);
  Vec after(rows.rows);
  model.losses(found.x, rows, before);
  model.losses(further.x, rows, after);
  for (std::size_t i = 0; i < rows.rows; ++i) {
    if (after[i] < 0.5 * before[i]) refuse_separable("its classes can be told apart but for ties", erm);
  }
  return found;
}

// An order may say what a config may say, and nothing else.
void refuse_bad_options(ErmOptions options) {
  Table table;
  OptionWriter writer(table);
  options.options(writer);
  Problems problems;
  OptionParser parser(table, "", {}, problems);
  options.options(parser);
  if (!problems.empty()) throw Error("the order has options for its own model that no config may have");
}

}  // namespace

void SgdOptions::options(Options& o, bool used) {
  o("curvature", &curvature, "mu of the steps 1 / (mu t): the least curvature of a client's objective",
    above(0));
  o("steps", &steps, "T, steps of stochastic gradients", between(1, 1000000000));
  o("batch", &batch, "rows that a stochastic gradient is taken over", between(1, 1000000000));
  o.choice("average", average, {"last", "non-uniform"},
           "what comes out: the last iterate, or their mean with weights in proportion to t");
  o("epsilon", &epsilon, "stop early at a squared distance to the minimum of at most this", above(0));
  o.require(!used || curvature.has_value(), "curvature", "solver = \"sgd\" needs it");
}

void ErmOptions::options(Options& o) {
  o.choice("solver", solver, {"exact", "sgd", "local"},
           "how a client finds its own model: the minimum itself, projected stochastic gradients, or a round "
           "of training as [local] says");
  o.choice("start", start, {"common", "own"},
           "where a client begins: common, or a random point of its own; of several minima of least squares "
           "it ends at the shortest, or at the one nearest to its own beginning");
  exact_options(o);
  o.section("sgd", "for solver = \"sgd\"", [this](Options& inside) { sgd.options(inside, solver == "sgd"); });
}

void ErmOptions::exact_options(Options& o) {
  if (!o.path().empty()) table = o.path();
  o("tolerance", &tolerance, "gradient at which an exact solver stops", above(0));
  o("iterations", &iterations, "most steps of an exact solver", between(1, 1000000));
  o("radius", &radius, "keeps a model within this distance of zero", above(0));
}

void JointErmOptions::options(Options& o) {
  exact_options(o);
  o.choice(
      "weights", weights, {"samples", "clients"},
      "samples: the mean over all rows of a cluster; clients: the mean of its clients' own means, (3) of "
      "ODCL. They differ where clients have unequal numbers of samples");
}

Erm solve_erm(const Model& model, const Batch<double>& rows, const ErmOptions& options, Vec start,
              Precision precision) {
  if (rows.rows == 0) throw Error("it has no training samples, so no model fits them best");
  const MinimiseOptions minimise_options{options.tolerance, static_cast<std::size_t>(options.iterations)};
  const Smooth objective = [&](std::span<const double> w, std::span<double> gradient) {
    return model.gradient(w, rows, gradient);
  };
  const bool bounded = options.radius.has_value();
  // With scores that are linear in the parameters the problem is convex; a likelihood then has no minimum
  // where a line tells the classes apart.
  const bool convex = is_convex(model);
  // The closed form is for rows that count alike.
  const bool squares =
      convex && model.loss_kind() == LossKind::squared && has_closed_form(model) && rows.weights.empty();
  if (convex && options.start != "own") std::fill(start.begin(), start.end(), 0.0);
  bool solved = false;
  if (squares) {
    start = solve_squares(model, rows, std::move(start), precision);
    solved = !bounded || squared_norm(start) <= *options.radius * *options.radius;
  }
  Minimum found{std::move(start), 0, 0, 0, true};
  if (!solved && bounded) {
    found = minimise_stepped(model, objective, std::move(found.x), *options.radius, minimise_options);
  } else if (!solved && convex && model.l2() == 0 && model.loss_kind() != LossKind::squared) {
    found = solve_likelihood(model, rows, objective, options, minimise_options);
  } else if (!solved) {
    const bool likelihood = convex && model.loss_kind() != LossKind::squared;
    if (likelihood && !penalises_all(model)) refuse_absent_class(model, rows, options);
    found = minimise(objective, std::move(found.x), minimise_options);
  }
  if (!std::isfinite(found.value) || !all_finite(found.x)) {
    throw Error("the loss over its training samples, or its minimum, is not finite");
  }
  return {std::move(found.x), found.converged};
}

Erm local_erm(const ErmNote& note, ClientView& view) {
  refuse_bad_options(note.options);
  Vec start(view.model().size());
  Stream common(note.seed, {Purpose::init, 0, 0, 0});
  view.model().init(start, note.options.start == "own" ? view.stream() : common);
  if (note.options.solver == "local") {
    Erm trained{view.train(view.to_shared(std::move(start))), true};
    if (note.options.radius)
      project_on_ball(*note.options.radius, std::span(trained.model).first(view.model().trainable()));
    return trained;
  }
  const Batch<double> rows = view.batch<double>(Part::train);
  if (note.options.solver == "sgd") {
    return solve_by_sgd(view.model(), rows, note.options, std::move(start), view.stream());
  }
  return solve_erm(view.model(), rows, note.options, std::move(start), view.precision());
}

const Vec& LocalModels::stepped(const Model& model, Vec& room) const {
  if (model.trainable() == model.size()) return values;
  room.clear();
  for (std::size_t begin = 0; begin < values.size(); begin += model.size()) {
    const auto from = values.begin() + static_cast<std::ptrdiff_t>(begin);
    room.insert(room.end(), from, from + static_cast<std::ptrdiff_t>(model.trainable()));
  }
  return room;
}

const Job<ErmNote, ErmReply>& erm_job() {
  static const Job<ErmNote, ErmReply> job("erm", [](const Shelf&, const ErmNote& note, ClientView& view) {
    Erm erm = local_erm(note, view);
    return ErmReply{erm.model, erm.converged};
  });
  return job;
}

ErmNote erm_note(const Setting& setting, const ErmOptions& options) {
  ErmNote note;
  note.options = options;
  note.seed = setting.seed;
  return note;
}

void report_inexact(Fleet& fleet, std::size_t stopped, std::size_t asked) {
  if (stopped == 0) return;
  fleet.report({0,
                "inexact",
                {},
                fmt::format("{} of {} stopped before their own model met the tolerance", stopped,
                            counted(asked, "client")),
                {{"clients", static_cast<double>(stopped)}}});
}

LocalModels ask_local_models(Fleet& fleet, const Setting& setting, const ErmOptions& options,
                             std::span<const ClientId> cohort) {
  const std::size_t size = setting.model.size();
  const double limit = setting.aggregate.limit;
  auto refuse = [&](ClientId, const ErmReply& reply) {
    if (reply.model.size() != size) {
      return fmt::format("its model has {} parameters instead of {}", reply.model.size(), size);
    }
    if (const double largest = reply.model.largest(limit); largest > limit) {
      return fmt::format("{} has a parameter of size {:.3g}, beyond aggregate.limit = {:g}",
                         options.solver == "local" ? "its own model" : "its exact minimum", largest, limit);
    }
    return std::string();
  };
  Collect<ErmReply, ErmReply> replies([](ErmReply& reply) { return std::move(reply); }, refuse,
                                      2 * size * sizeof(double));
  const ErmNote note = erm_note(setting, options);
  LocalModels models;
  models.clients = fleet.ask(erm_job(), {cohort.begin(), cohort.end()}, Shelf(),
                             [&](ClientId) { return note; }, {&replies});
  std::size_t stopped = 0;
  models.values.reserve(replies.items.size() * size);
  for (auto& [client, reply] : replies.items) {
    const Vec model = std::exchange(reply.model, {});
    models.values.insert(models.values.end(), model.begin(), model.end());
    if (!reply.converged) ++stopped;
  }
  report_inexact(fleet, stopped, models.clients.size());
  return models;
}

LocalModels ask_local_models(Fleet& fleet, const Setting& setting, const ErmOptions& options) {
  LocalModels models;
  fleet.before_rounds([&](const Fleet::Begin& begin) {
    begin(1, kAsk);
    models = ask_local_models(fleet, setting, options, fleet.everyone());
  });
  return models;
}

bool asks_everyone(const Fleet& fleet, const Setting& setting, const Round& round) {
  return !setting.redealt && round.cohort.size() == fleet.clients();
}

void average_local_models(Fleet& fleet, const Setting& setting, std::span<const ClientId> cohort,
                          const std::function<std::uint32_t(ClientId)>& cluster_of, const ErmOptions& options,
                          std::vector<Vec>& models) {
  auto means =
      setting.aggregate.slots(models.size(), setting.model.size(), static_cast<double>(cohort.size()));
  IntoSlots<ErmReply> fold(*means, &ErmReply::model, [&](ClientId i, const ErmReply&) {
    return SlotWeight{cluster_of(i), 1};
  });
  Collect<ErmReply, std::uint8_t> converged([](ErmReply& reply) { return reply.converged; });
  const ErmNote note = erm_note(setting, options);
  fleet.ask(erm_job(), cohort, Shelf(), [&](ClientId) { return note; }, {&fold, &converged});
  for (std::size_t k = 0; k < models.size(); ++k) models[k] = means->mean_or(k, models[k]);
  const auto stopped = std::count_if(converged.items.begin(), converged.items.end(),
                                     [](const auto& one) { return one.second == 0; });
  report_inexact(fleet, static_cast<std::size_t>(stopped), converged.items.size());
}

}  // namespace coterie
