#include "coterie/methods/newton.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "coterie/attack.h"
#include "coterie/methods/erm.h"
#include "data/penalty.h"
#include "math/kernels.h"
#include "methods/score_rows.h"

namespace coterie {
namespace {

constexpr std::size_t kSteps = 60;
constexpr std::size_t kHalvings = 40;
// Half of the decrement g' H^-1 g is what a step gains. From here on the step that is known is the last.
constexpr double kGain = 1e-9;

Eigen::Index at(std::size_t i) { return static_cast<Eigen::Index>(i); }

// X' diag(d) X for each pair of scores, divided by the rows, and the L2 term.
Vec curvature_of(const Model& model, const ScoreRows& seen) {
  const std::size_t size = model.size(), inputs = static_cast<std::size_t>(seen.inputs().cols());
  Vec out(size * size, 0.0);
  const double share = 1 / static_cast<double>(seen.rows());
  for (std::size_t a = 0; a < seen.scores(); ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      const Eigen::MatrixXd bent = share * (seen.bends(a, b).asDiagonal() * seen.inputs());
      const Eigen::MatrixXd product = seen.inputs().transpose() * bent;
      for (std::size_t i = 0; i < inputs; ++i) {
        for (std::size_t j = 0; j < inputs; ++j) {
          const std::size_t row = seen.place(a, i), column = seen.place(b, j);
          out[row * size + column] = out[column * size + row] = product(at(i), at(j));
        }
      }
    }
  }
  const Vec strengths = penalty_strengths(model);
  for (std::size_t j = 0; j < size; ++j) out[j * size + j] += strengths[j];
  return out;
}

}  // namespace

bool has_curvature(const Model& model) {
  if (!is_convex(model) || model.layers().empty() || model.layers().size() > 2) return false;
  const std::size_t weights = model.feature_width() * model.scores();
  return model.size() == weights || model.size() == weights + model.scores();
}

Curved curved_objective(const Model& model, std::span<const double> w, const Batch<double>& rows) {
  check(has_curvature(model), "the curvature of this model is not known");
  if (rows.rows == 0) throw Error("it has no training samples");
  Curved out;
  out.gradient.resize(model.size());
  out.value = model.gradient(w, rows, out.gradient);
  out.curvature = curvature_of(model, ScoreRows(model, w, rows));
  return out;
}

Vec triangle_of(std::span<const double> matrix, std::size_t size) {
  Vec out;
  out.reserve(size * (size + 1) / 2);
  for (std::size_t i = 0; i < size; ++i)
    out.insert(out.end(), matrix.begin() + static_cast<std::ptrdiff_t>(i * size),
               matrix.begin() + static_cast<std::ptrdiff_t>(i * size + i + 1));
  return out;
}

Vec from_triangle(std::span<const double> triangle, std::size_t size) {
  Vec out(size * size);
  std::size_t next = 0;
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j <= i; ++j) out[i * size + j] = out[j * size + i] = triangle[next++];
  }
  return out;
}

void raise_diagonal(Vec& curvature, std::size_t size, Precision precision) {
  Eigen::Map<Eigen::MatrixXd> all(curvature.data(), at(size), at(size));
  if (size == 0 || !all.allFinite()) return;
  const double largest = std::max(0.0, all.diagonal().maxCoeff());
  const double least =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(all, Eigen::EigenvaluesOnly).eigenvalues()[0];
  all.diagonal().array() +=
      (precision == Precision::f32 ? 1e-5 : 1e-11) * largest + std::max(0.0, -2 * least);
}

const Job<CurvedNote, CurvedReply>& curved_job() {
  static const Job<CurvedNote, CurvedReply> job(
      "curved", [](const Shelf& shelf, const CurvedNote& note, ClientView& view) {
        view.expect_model(shelf[note.item]);
        if (!has_curvature(view.model()) || view.model().size() > kMostCurved) {
          throw Error("the curvature of its model is not known");
        }
        const Curved here =
            curved_objective(view.model(), shelf[note.item].values(), view.batch<double>(Part::train));
        return CurvedReply{here.gradient, triangle_of(here.curvature, view.model().size()), here.value};
      });
  return job;
}

namespace {

// Takes out of a curvature what the parameters from `first` on take up:  H - H_a (H_aa + more)^-1 H_a'.
void profile_out(Vec& curvature, std::size_t size, std::size_t first, const Vec& more) {
  const Eigen::Index all = at(size), own = at(size - first);
  Eigen::Map<Eigen::MatrixXd> h(curvature.data(), all, all);
  const Eigen::MatrixXd beside = h.rightCols(own);
  Eigen::MatrixXd inside =
      h.bottomRightCorner(own, own) + Eigen::Map<const Eigen::MatrixXd>(more.data(), own, own);
  inside.diagonal().array() += 1e-11 * std::max(inside.diagonal().maxCoeff(), 1e-300);
  const Eigen::LDLT<Eigen::MatrixXd> factor(inside);
  const Eigen::MatrixXd taken = beside * factor.solve(beside.transpose());
  if (taken.allFinite()) h -= 0.5 * (taken + taken.transpose().eval());
}

CurvedReply with_own_intercept(const Shelf& shelf, const OwnInterceptNote& note, ClientView& view) {
  const Model& model = view.model();
  const std::size_t size = model.size();
  view.expect_model(shelf[0]);
  if (!has_curvature(model) || size > kMostCurved || trailing_intercepts(model) == 0 ||
      shelf[1].size() != size * (size + 1) / 2) {
    throw Error("the pull that was sent does not fit its model");
  }
  if (!(note.lambda >= 0) || std::isinf(note.lambda)) throw Error("it is sent a pull that cannot be");
  const Batch<double> rows = view.batch<double>(Part::train);
  if (rows.rows == 0) throw Error("it has no training samples");
  const Vec w = shelf[0].values(), pull = from_triangle(shelf[1].values(), size);
  const std::size_t first = size - trailing_intercepts(model), own = size - first;
  const Vec v = PulledFit(model, rows, w, pull, first).minimum(note.lambda);
  Curved here = curved_objective(model, v, rows);
  const double share = note.lambda / static_cast<double>(rows.rows);
  Vec more(own * own);
  for (std::size_t i = 0; i < own; ++i) {
    for (std::size_t j = 0; j < own; ++j) {
      more[i * own + j] = share * pull[(first + i) * size + first + j];
      here.value += 0.5 * more[i * own + j] * (v[first + i] - w[first + i]) * (v[first + j] - w[first + j]);
    }
  }
  profile_out(here.curvature, size, first, more);
  return {here.gradient, triangle_of(here.curvature, size), here.value};
}

}  // namespace

const Job<OwnInterceptNote, CurvedReply>& own_intercept_job() {
  static const Job<OwnInterceptNote, CurvedReply> job("own-intercept", with_own_intercept);
  return job;
}

Vec solve_nearly_positive(Vec a, Vec b) {
  const Eigen::Index size = at(b.size());
  const Eigen::MatrixXd matrix = Eigen::Map<const Eigen::MatrixXd>(a.data(), size, size);
  const Eigen::VectorXd right = Eigen::Map<const Eigen::VectorXd>(b.data(), size);
  if (!matrix.allFinite() || !right.allFinite()) return Vec(b.size(), 0.0);
  const double largest = std::max(matrix.diagonal().cwiseAbs().maxCoeff(), 1e-300);
  for (double more = 1e-11 * largest; more < 1e6 * largest; more *= 100) {
    Eigen::MatrixXd raised = matrix;
    raised.diagonal().array() += more;
    const Eigen::LLT<Eigen::MatrixXd> factor(raised);
    if (factor.info() != Eigen::Success) continue;
    const Eigen::VectorXd x = factor.solve(right);
    if (x.allFinite()) return Vec(x.data(), x.data() + x.size());
  }
  return Vec(b.size(), 0.0);
}

PulledFit::PulledFit(const Model& model, const Batch<double>& rows, std::span<const double> centre,
                     std::span<const double> pull, std::size_t fixed)
    : model_(model), rows_(rows), centre_(centre), pull_(pull), fixed_(fixed) {}

Vec PulledFit::minimum(double lambda) const {
  return minimum(lambda, Vec(centre_.begin(), centre_.end()), kGain);
}

Vec PulledFit::minimum(double lambda, Vec from, double least_gain) const {
  if (std::isinf(lambda) || rows_.rows == 0) return Vec(centre_.begin(), centre_.end());
  Vec v = std::move(from);
  const std::size_t size = v.size(), free = size - fixed_;
  const auto count = static_cast<double>(rows_.rows);
  // The pull's value, and its gradient added.
  auto pulled = [&](const Vec& here, Vec& gradient) {
    double value = 0;
    for (std::size_t i = fixed_; i < size; ++i) {
      double slope = 0;
      for (std::size_t j = fixed_; j < size; ++j) slope += pull_[i * size + j] * (here[j] - centre_[j]);
      gradient[i] += lambda * slope;
      value += 0.5 * lambda * slope * (here[i] - centre_[i]);
    }
    return value;
  };
  auto objective = [&](const Vec& here, Vec& gradient) {
    const double mean = model_.gradient(std::span<const double>(here), rows_, std::span(gradient));
    scale(count, std::span(gradient));
    return count * mean + pulled(here, gradient);
  };
  const bool squares = model_.loss_kind() == LossKind::squared;
  Vec gradient(size), next_gradient(size);
  double value = objective(v, gradient);
  for (std::size_t t = 0; t < kSteps; ++t) {
    if (!squares_ || !squares) squares_ = curvature_of(model_, ScoreRows(model_, v, rows_));
    Vec a(free * free);
    for (std::size_t i = 0; i < free; ++i) {
      for (std::size_t j = 0; j < free; ++j) {
        const std::size_t place = (i + fixed_) * size + j + fixed_;
        a[i * free + j] = count * (*squares_)[place] + lambda * pull_[place];
      }
    }
    Vec step = solve_nearly_positive(
        std::move(a), Vec(gradient.begin() + static_cast<std::ptrdiff_t>(fixed_), gradient.end()));
    double gain = 0;
    for (std::size_t i = 0; i < free; ++i) gain += 0.5 * step[i] * gradient[i + fixed_];
    const bool last = !(gain > least_gain * std::max(1.0, std::fabs(value)));
    Vec next = v;
    double next_value = std::numeric_limits<double>::infinity();
    double length = 1;
    for (std::size_t h = 0; h < kHalvings; ++h, length *= 0.5) {
      for (std::size_t i = 0; i < free; ++i) next[i + fixed_] = v[i + fixed_] - length * step[i];
      next_value = objective(next, next_gradient);
      if (next_value <= value + 1e-12 * std::max(1.0, std::fabs(value))) break;
    }
    if (!(next_value <= value + 1e-12 * std::max(1.0, std::fabs(value)))) break;
    v = std::move(next);
    value = next_value;
    gradient.swap(next_gradient);
    if (last) break;
  }
  return v;
}

namespace {

const AttackTraitEntry kCurvedTrait{"curved", {.from_nothing = [](Message&) { return true; }}};
const AttackTraitEntry kOwnInterceptTrait{"own-intercept", {.from_nothing = [](Message&) { return true; }}};

}  // namespace

}  // namespace coterie
