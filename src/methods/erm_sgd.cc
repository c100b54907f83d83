// Inexact local minima by projected stochastic gradients.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "coterie/methods/erm.h"
#include "math/kernels.h"
#include "math/minimise.h"

namespace coterie {
namespace {

// Rows drawn with repetition.
class Draw {
 public:
  Draw(const Batch<double>& rows, std::size_t count) : rows_(rows), x_(count * rows.width), y_(count) {}

  Batch<double> next(Stream& stream) {
    for (std::size_t i = 0; i < y_.size(); ++i) {
      const std::size_t row = stream.below(rows_.rows);
      const auto from = rows_.x.subspan(row * rows_.width, rows_.width);
      std::copy(from.begin(), from.end(), x_.begin() + static_cast<std::ptrdiff_t>(i * rows_.width));
      y_[i] = rows_.y[row];
    }
    return {y_.size(), rows_.width, x_, y_, {}};
  }

 private:
  const Batch<double>& rows_;
  Vec x_;
  Vec y_;
};

}  // namespace

double squared_distance_bound(std::span<const double> w, std::span<const double> gradient, double mu,
                              const std::optional<double>& radius) {
  const double squared = squared_norm(gradient), free = squared / (mu * mu);
  if (!radius) return free;
  return std::min(free, std::max(0.0, dot(gradient, w) + *radius * std::sqrt(squared)) / mu);
}

Erm solve_by_sgd(const Model& model, const Batch<double>& rows, const ErmOptions& options, Vec start,
                 Stream& stream) {
  if (rows.rows == 0) throw Error("it has no training samples, so no model fits them best");
  const SgdOptions& sgd = options.sgd;
  constexpr std::size_t kAnyBatch = 1024;  // rows are drawn with replacement, so a batch may exceed them
  if (static_cast<std::size_t>(sgd.batch) > std::max(rows.rows, kAnyBatch)) {
    throw Error(
        fmt::format("a stochastic gradient over {} rows was asked for, and it has {}: lower sgd.batch",
                    sgd.batch, rows.rows));
  }
  check(sgd.curvature.has_value(), "stochastic gradients need the curvature");
  const double mu = *sgd.curvature;
  auto project = [&](Vec& w) {
    if (options.radius) project_on_ball(*options.radius, std::span(w).first(model.trainable()));
  };
  Vec w = std::move(start);
  if (is_convex(model) && options.start != "own") std::fill(w.begin(), w.end(), 0.0);
  project(w);

  Vec mean(w.size(), 0.0);  // of the iterates so far, with weights in proportion to t
  const Vec& result = sgd.average == "last" ? w : mean;
  Vec gradient(w.size());
  auto certificate = [&] {
    model.gradient(result, rows, gradient);
    const std::size_t stepped = model.trainable();
    return squared_distance_bound(std::span(result).first(stepped), std::span(gradient).first(stepped), mu,
                                  options.radius);
  };
  Draw draw(rows, static_cast<std::size_t>(sgd.batch));
  const std::int64_t pass = std::max<std::int64_t>(1, static_cast<std::int64_t>(rows.rows) / sgd.batch);
  bool converged = !sgd.epsilon.has_value();
  for (std::int64_t t = 1; t <= sgd.steps; ++t) {
    const Batch<double> batch = draw.next(stream);
    StepContext<double> step{stream, std::span(w).subspan(model.trainable())};
    model.gradient(w, batch, gradient, &step);
    add_scaled(-1 / (mu * static_cast<double>(t)), gradient, w);
    project(w);
    const double share = 2 / static_cast<double>(t + 1);  // t of the 1 + 2 + ... + t
    for (std::size_t j = 0; j < w.size(); ++j) mean[j] += share * (w[j] - mean[j]);
    if (sgd.epsilon && (t % pass == 0 || t == sgd.steps)) {
      converged = certificate() <= *sgd.epsilon;
      if (converged) break;
    }
  }
  if (!all_finite(result)) {
    throw Error(
        "its stochastic gradients led to numbers that are not finite: give a radius, or a larger "
        "sgd.curvature");
  }
  return {result, converged};
}

}  // namespace coterie
