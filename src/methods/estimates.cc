#include "coterie/methods/estimates.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "base/text.h"
#include "coterie/attack.h"
#include "coterie/methods/newton.h"
#include "data/penalty.h"
#include "groups/homogeneity.h"
#include "math/positive.h"
#include "methods/misfit_score.h"
#include "methods/neighbours.h"
#include "methods/own_estimate.h"

namespace coterie {
namespace {

constexpr std::uint16_t kEstimateAsk = 1;  // among the asks of a start
constexpr std::size_t kTurn = 256;         // clients whose replicates are in memory at once
constexpr double kFloatLeast = 1e-6;  // eigenvalue that curvatures which travel as floats can tell from 0
constexpr std::size_t kMostWidth = kMostCurved;
constexpr std::size_t kMostReplicates = 100000;

struct EstimateNote {
  Items items;  // the common model, and the basis
  std::uint32_t width = 0;
  std::uint32_t replicates = 0;
  std::uint32_t resamples = 0;
  std::int64_t hc = 2;
  void fields(Archive& a) {
    a(items);
    a.overhead([&] { a(width, replicates, resamples, hc); });
  }
};
struct EstimateReply {
  Numbers b, v, curvature;  // the matrices as triangles
  Numbers replicates;       // replicates x (width + 1)
  Numbers resampled;        // resamples x width
  double rows = 0;          // that are independent of each other: lots
  double misfit = 0;        // methods/misfit_score.h, at its estimate
  double product = 0;       // methods/neighbours.h
  double pairs = 0;
  void fields(Archive& a) {
    a(b, v, curvature, replicates, resampled, misfit, product, pairs);
    a.about_sender(rows);
  }
};

Vec triangle(const Eigen::MatrixXd& symmetric) {
  return triangle_of(std::span(symmetric.data(), static_cast<std::size_t>(symmetric.size())),
                     static_cast<std::size_t>(symmetric.rows()));
}

void append(Vec& to, const Eigen::VectorXd& more) {
  to.insert(to.end(), more.data(), more.data() + more.size());
}

EstimateReply estimate(const Shelf& shelf, const EstimateNote& note, ClientView& view) {
  const Model& model = view.model();
  view.expect_model(shelf[0]);
  if (!has_curvature(model) || model.size() > kMostCurved) throw Error("its model has no estimates");
  if (note.width == 0 || note.width > kMostWidth || shelf[1].size() != model.size() * note.width ||
      note.replicates > kMostReplicates || note.resamples > kMostReplicates) {
    throw Error("what it was asked to estimate does not fit its model");
  }
  const Batch<double> rows = view.batch<double>(Part::train);
  if (rows.rows == 0) throw Error("it has no training samples");
  const Vec& sent = shelf[1].values();
  Eigen::MatrixXd basis(static_cast<Eigen::Index>(model.size()), static_cast<Eigen::Index>(note.width));
  for (Eigen::Index i = 0; i < basis.rows(); ++i) {
    for (Eigen::Index j = 0; j < basis.cols(); ++j)
      basis(i, j) = sent[static_cast<std::size_t>(i * basis.cols() + j)];
  }
  Lots lots(view.samples(Part::train));
  const auto count = static_cast<double>(lots.count);
  const OwnEstimate own(model, shelf[0].values(), rows, std::move(lots), basis, note.hc);
  Vec b, replicates, resampled;
  append(b, own.b());
  for (std::uint32_t r = 0; r < note.replicates; ++r) append(replicates, own.replicate(view.stream()));
  for (std::uint32_t r = 0; r < note.resamples; ++r) append(resampled, own.resampled(view.stream()));
  Vec w = shelf[0].values();
  const Eigen::VectorXd moved = basis * own.b();
  for (std::size_t j = 0; j < w.size(); ++j) w[j] += moved[static_cast<Eigen::Index>(j)];
  const Neighbours near = compare_neighbours(own.residuals(), view.samples(Part::train), own.lots());
  return {b,
          triangle(own.v()),
          triangle(own.curvature()),
          replicates,
          resampled,
          count,
          misfit_score(model, w, rows),
          near.product,
          near.pairs};
}

const Job<EstimateNote, EstimateReply> kEstimate("estimate", estimate);
const AttackTraitEntry kEstimateTrait{"estimate", {.from_nothing = [](Message&) { return true; }}};

// The coordinates that the pooled curvature tells of, at most so many.
void find_coordinates(const Model& model, Precision precision, std::size_t most,
                      const EstimateOptions& options, ClientEstimates& out) {
  const auto size = static_cast<Eigen::Index>(out.centre.size());
  Eigen::MatrixXd pooled = Eigen::Map<const Eigen::MatrixXd>(out.pooled.data(), size, size);
  // An L2 term bends directions of which no row tells anything.
  const Vec strengths = penalty_strengths(model);
  pooled.diagonal() -= Eigen::Map<const Eigen::VectorXd>(strengths.data(), size);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(pooled);
  if (solver.info() != Eigen::Success) throw Error("the curvature over all clients' rows is not finite");
  const double least = precision == Precision::f32 ? std::max(options.least, kFloatLeast) : options.least;
  const Eigen::VectorXd values = solver.eigenvalues().reverse();
  std::size_t informed = 0;
  while (informed < out.centre.size() && values[static_cast<Eigen::Index>(informed)] > least * values[0])
    ++informed;
  out.width = std::min({informed, options.most, most});
  out.flat = out.centre.size() - informed;
  out.cut = informed - out.width;
  out.basis.resize(out.centre.size() * out.width);
  for (std::size_t k = 0; k < out.width; ++k) {
    const double value = values[static_cast<Eigen::Index>(k)];
    out.eigenvalues.push_back(value);
    const auto column = solver.eigenvectors().col(size - 1 - static_cast<Eigen::Index>(k));
    for (std::size_t j = 0; j < out.centre.size(); ++j) {
      out.basis[j * out.width + k] = column[static_cast<Eigen::Index>(j)] / std::sqrt(value);
    }
  }
  // As clients see them.
  round_to(precision, out.basis);
  round_to(precision, out.centre);
}

// How many coordinates the median client's rows do for.
std::size_t affordable(const std::map<ClientId, double>& rows, const EstimateOptions& options) {
  Vec counts;
  for (const auto& [client, count] : rows) counts.push_back(count);
  const auto middle = counts.begin() + static_cast<std::ptrdiff_t>(counts.size() / 2);
  std::nth_element(counts.begin(), middle, counts.end());
  return std::max<std::size_t>(1, static_cast<std::size_t>(*middle / options.rows_each));
}

bool finite(const Numbers& values) { return !std::isnan(values.largest(std::numeric_limits<double>::max())); }

bool is_positive(const Numbers& triangle, std::size_t q) {
  return PositiveFactor::of(from_triangle(Vec(triangle), q), q).has_value();
}

void insert(Vec& to, const Vec& more) { to.insert(to.end(), more.begin(), more.end()); }

// One exchange in the coordinates of `out`. `rows` has the clients that know the common model; each that
// answers tells there how many of its rows are independent of each other.
void exchange(Fleet& fleet, std::span<const ClientId> clients, const EstimateOptions& options,
              std::map<ClientId, double>& rows, ClientEstimates& out) {
  std::vector<ClientId> asked;
  for (const ClientId i : clients) {
    if (fleet.samples(i) < out.least_rows()) {
      out.too_few.push_back(i);
    } else if (rows.contains(i)) {
      asked.push_back(i);
    } else {
      out.no_answer.push_back(i);
    }
  }
  const std::size_t q = out.width;
  out.replicates = options.replicates;
  out.replicate_sums.assign(options.replicates * (q + 1), 0.0);
  out.resampled.assign(options.resamples, {});
  const Shelf shelf({out.centre, out.basis}, fleet.precision());
  const EstimateNote note{Items::all(), static_cast<std::uint32_t>(q),
                          static_cast<std::uint32_t>(options.replicates),
                          static_cast<std::uint32_t>(options.resamples), options.hc};
  const std::size_t half = q * (q + 1) / 2;
  auto refuse = [&](ClientId, const EstimateReply& reply) -> std::string {
    const bool fits = reply.b.size() == q && reply.v.size() == half && reply.curvature.size() == half &&
                      reply.replicates.size() == out.replicate_sums.size() &&
                      reply.resampled.size() == options.resamples * q;
    if (!fits) return "its estimates have another size";
    // The statistics take these for granted.
    if (!finite(reply.b) || !finite(reply.replicates) || !finite(reply.resampled) ||
        !std::isfinite(reply.misfit) || !std::isfinite(reply.product) || !std::isfinite(reply.pairs) ||
        !std::isfinite(reply.rows) || !(reply.rows > 0))
      return "its estimates have a number that is not finite, or no rows";
    if (reply.rows < static_cast<double>(out.least_rows())) return "";  // its matrices are not used
    if (!is_positive(reply.v, q) || !is_positive(reply.curvature, q))
      return "its covariance or curvature is not positive definite";
    return "";
  };
  const std::size_t numbers = q + 2 * half + out.replicate_sums.size() + options.resamples * q;
  const std::size_t turns = std::max<std::size_t>(1, (asked.size() + kTurn - 1) / kTurn);
  fleet.in_turns(turns, [&](std::size_t turn) {
    const std::size_t begin = std::min(asked.size(), turn * kTurn),
                      end = std::min(asked.size(), begin + kTurn);
    const std::span<const ClientId> some = std::span<const ClientId>(asked).subspan(begin, end - begin);
    Collect<EstimateReply, EstimateReply> replies([](EstimateReply& reply) { return std::move(reply); },
                                                  refuse, numbers * sizeof(double));
    const std::vector<ClientId> answered =
        fleet.ask(kEstimate, some, shelf, [&](ClientId) { return note; }, {&replies});
    for (const ClientId i : some) {
      if (!std::binary_search(answered.begin(), answered.end(), i)) out.no_answer.push_back(i);
    }
    for (const auto& [client, reply] : replies.items) {
      rows[client] = reply.rows;
      if (reply.rows < static_cast<double>(out.least_rows())) {
        out.too_few.push_back(client);
        continue;
      }
      out.clients.push_back(client);
      out.rows.push_back(reply.rows);
      out.misfit.push_back(reply.misfit);
      out.neighbours_product += reply.product;
      out.neighbours_pairs += reply.pairs;
      insert(out.b, reply.b);
      insert(out.v, from_triangle(Vec(reply.v), q));
      insert(out.curvature, from_triangle(Vec(reply.curvature), q));
      const Vec replicates = reply.replicates, resampled = reply.resampled;
      for (std::size_t k = 0; k < replicates.size(); ++k) out.replicate_sums[k] += replicates[k];
      for (std::size_t r = 0; r < options.resamples; ++r) {
        const auto from = resampled.begin() + static_cast<std::ptrdiff_t>(r * q);
        out.resampled[r].insert(out.resampled[r].end(), from, from + static_cast<std::ptrdiff_t>(q));
      }
    }
  });
  std::sort(out.too_few.begin(), out.too_few.end());
  std::sort(out.no_answer.begin(), out.no_answer.end());
}

}  // namespace

std::size_t ClientEstimates::least_rows() const { return std::max<std::size_t>(width + 3, 8); }

Vec ClientEstimates::model_at(std::span<const double> u) const {
  Vec model = centre;
  for (std::size_t j = 0; j < model.size(); ++j) {
    for (std::size_t k = 0; k < width; ++k) model[j] += basis[j * width + k] * u[k];
  }
  return model;
}

std::string why_no_estimates(const Model& model) {
  if (!has_curvature(model)) {
    return "the model is not linear, logistic or softmax regression, so clients have no coefficients that "
           "could "
           "be compared";
  }
  if (model.size() > kMostCurved) {
    return fmt::format("the model has {} parameters, and coefficients are compared for up to {}",
                       model.size(), kMostCurved);
  }
  return "";
}

std::vector<const AnyJob*> estimate_jobs() { return {&curved_job(), &kEstimate}; }

ClientEstimates ask_estimates(Fleet& fleet, const Setting& setting, std::span<const ClientId> clients,
                              const EstimateOptions& options) {
  if (const std::string why = why_no_estimates(setting.model); !why.empty()) throw Error(why);
  std::vector<ClientId> with_rows;
  for (const ClientId i : clients) {
    if (fleet.samples(i) > 0) with_rows.push_back(i);
  }
  JointMinimum joint = solve_by_newton(fleet, setting, with_rows);
  if (joint.clients.empty()) throw Error("no client told of its rows, so nothing can be estimated");
  std::map<ClientId, double> rows;
  for (const ClientId i : joint.clients) rows[i] = static_cast<double>(fleet.samples(i));
  ClientEstimates out;
  out.centre = std::move(joint.model);
  out.pooled = std::move(joint.curvature);
  out.loss = joint.value;
  out.converged = joint.converged;
  find_coordinates(setting.model, fleet.precision(), affordable(rows, options), options, out);
  exchange(fleet, clients, options, rows, out);
  // Where rows belong together, clients have fewer lots than rows.
  const std::size_t fewer = affordable(rows, options);
  if (fewer >= out.width) return out;
  ClientEstimates again;
  again.centre = std::move(out.centre);
  again.pooled = std::move(out.pooled);
  again.loss = out.loss;
  again.converged = out.converged;
  find_coordinates(setting.model, fleet.precision(), fewer, options, again);
  exchange(fleet, clients, options, rows, again);
  return again;
}

ClientEstimates ask_estimates(Fleet& fleet, const Setting& setting, const EstimateOptions& options) {
  ClientEstimates out;
  fleet.before_rounds([&](const Fleet::Begin& begin) {
    begin(1, kEstimateAsk);
    out = ask_estimates(fleet, setting, fleet.everyone(), options);
  });
  return out;
}

Estimates estimates_of(const ClientEstimates& told) {
  Estimates out;
  out.width = told.width;
  const auto q = static_cast<std::ptrdiff_t>(told.width);
  for (std::size_t i = 0; i < told.clients.size(); ++i) {
    const auto at = static_cast<std::ptrdiff_t>(i);
    Estimate one;
    one.b.assign(told.b.begin() + at * q, told.b.begin() + (at + 1) * q);
    one.v.assign(told.v.begin() + at * q * q, told.v.begin() + (at + 1) * q * q);
    one.curvature.assign(told.curvature.begin() + at * q * q, told.curvature.begin() + (at + 1) * q * q);
    one.rows = told.rows[i];
    out.of.push_back(std::move(one));
  }
  return out;
}

Replicates replicates_of(const ClientEstimates& told) { return {told.replicates, told.replicate_sums}; }

}  // namespace coterie
