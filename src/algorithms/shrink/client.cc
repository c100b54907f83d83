#include "algorithms/shrink/client.h"

#include <algorithm>
#include <cmath>

#include "coterie/methods/choose.h"
#include "coterie/methods/newton.h"
#include "data/lots.h"
#include "math/kernels.h"

namespace coterie {
namespace {

constexpr std::size_t kFolds = 5;
constexpr double kHopeless = 1e30;   // in place of a loss that is not finite
constexpr double kTriedGain = 1e-6;  // exact enough to compare losses
constexpr std::uint32_t kMostTuning = 1000000;

// Some rows of a batch, with memory of their own.
struct SomeRows {
  Vec x, y, weights;
  std::size_t width = 0;
  SomeRows(const Batch<double>& all, const Lots& lots, std::size_t fold, std::size_t folds, bool held_out)
      : width(all.width) {
    for (std::size_t i = 0; i < all.rows; ++i) {
      if ((lots.of[i] % folds == fold) != held_out) continue;
      const std::span<const double> row = all.x.subspan(i * width, width);
      x.insert(x.end(), row.begin(), row.end());
      y.push_back(all.y[i]);
      if (!all.weights.empty()) weights.push_back(all.weights[i]);
    }
  }
  Batch<double> batch() const { return {y.size(), width, x, y, weights}; }
};

double weighed_loss(const Model& model, std::span<const double> v, const Batch<double>& rows) {
  Vec losses(rows.rows);
  model.losses(v, rows, losses);
  double sum = 0;
  for (std::size_t i = 0; i < losses.size(); ++i)
    sum += (rows.weights.empty() ? 1 : rows.weights[i]) * losses[i];
  return std::isfinite(sum) ? sum : kHopeless;
}

struct Sent {
  const Shared& model;
  Vec curvature;  // of the group
  std::size_t fixed = 0;
};

Sent read_sent(const Shelf& shelf, const ShrinkNote& note, ClientView& view) {
  view.expect_model(shelf[note.model]);
  if (note.tuning > kMostTuning) throw Error("it is asked to train for more rounds than there can be");
  Sent sent{shelf[note.model], {}, 0};
  if (!note.exact) return sent;
  const std::size_t size = view.model().size();
  if (!has_curvature(view.model()) || shelf[note.curvature].size() != size * (size + 1) / 2) {
    throw Error("the curvature that was sent does not fit its model");
  }
  sent.curvature = from_triangle(shelf[note.curvature].values(), size);
  if (note.intercept) sent.fixed = size - trailing_intercepts(view.model());
  return sent;
}

// The group's model without these rows: where  rows H - (what they tell)  is the curvature that is left, a
// step against the slope that is left.
Vec without(const Model& model, const Vec& w, const Vec& curvature, double rows, const Batch<double>& out) {
  if (out.rows == 0 || !(rows > static_cast<double>(out.rows))) return w;
  const Curved theirs = curved_objective(model, w, out);
  const auto count = static_cast<double>(out.rows);
  Vec left(curvature.size()), slope(w.size());
  for (std::size_t j = 0; j < left.size(); ++j) left[j] = rows * curvature[j] - count * theirs.curvature[j];
  for (std::size_t j = 0; j < slope.size(); ++j) slope[j] = count * theirs.gradient[j];
  Vec moved = solve_nearly_positive(std::move(left), std::move(slope));
  add_scaled(1.0, w, moved);
  return all_finite(moved) ? moved : w;
}

TriedReply try_exactly(const Sent& sent, const ShrinkNote& note, ClientView& view) {
  const Model& model = view.model();
  const Batch<double> rows = view.batch<double>(Part::train);
  Vec losses(std::size(kPulls), 0.0);
  const Lots lots(view.samples(Part::train));
  const std::size_t folds = std::min(kFolds, lots.count);
  for (std::size_t fold = 0; fold < folds; ++fold) {
    const SomeRows kept(rows, lots, fold, folds, false), held(rows, lots, fold, folds, true);
    const Batch<double> training = kept.batch(), judging = held.batch();
    const Vec w = sent.model.values();
    const Vec centre = sent.fixed > 0 ? w : without(model, w, sent.curvature, note.rows, judging);
    const PulledFit fit(model, training, centre, sent.curvature, sent.fixed);
    // From the strongest pull to none: each begins where the last ended.
    Vec v = centre;
    for (std::size_t g = losses.size(); g-- > 0;) {
      v = fit.minimum(kPulls[g], std::move(v), kTriedGain);
      losses[g] = std::min(kHopeless, losses[g] + weighed_loss(model, v, judging));
    }
  }
  return {losses, static_cast<double>(rows.rows)};
}

// Local training with the pull as a proximal term. A rate that suits the loss alone is shortened by as much
// as the pull bends the objective.
Shared tuned(const Shared& model, double lambda, const ShrinkNote& note, std::span<const double> weights,
             ClientView& view) {
  if (lambda < 0 || std::isinf(lambda)) return model;
  const double prox = lambda / static_cast<double>(std::max<std::size_t>(1, view.count(Part::train)));
  Vec momentum;
  Training how{.prox = prox, .centre = &model, .weights = weights, .momentum = &momentum};
  const double rate = view.solver().rate(view.round());
  if (!view.solver().wants_rate() && prox > 0) how.rate = rate / (1 + rate * prox);
  Shared v = model;
  for (std::uint32_t t = 0; t < note.tuning; ++t) v = Shared::of(view.train(v, how), view.precision());
  return v;
}

TriedReply try_by_training(const Sent& sent, const ShrinkNote& note, ClientView& view) {
  const std::size_t count = view.count(Part::train);
  const bool apart = view.count(Part::validation) > 0;
  std::vector<std::uint8_t> held(count, 0);
  Vec weights;
  std::size_t out = 0;
  const Lots lots(view.samples(Part::train));
  if (!apart && lots.count > 1) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t lot = lots.of[i];
      out += held[i] = lot % kFolds == kFolds - 1 || (lots.count < kFolds && lot + 1 == lots.count);
    }
    for (std::size_t i = 0; i < count; ++i) {
      weights.push_back(held[i] ? 0 : static_cast<double>(count) / static_cast<double>(count - out));
    }
  }
  const Part part = apart ? Part::validation : Part::train;
  Vec losses;
  for (const double lambda : kPulls) {
    const Vec each = view.losses(tuned(sent.model, lambda, note, weights, view), part);
    const std::span<const double> own = view.row_weights(part);
    double sum = 0;
    for (std::size_t i = 0; i < each.size(); ++i) {
      if (apart || held[i]) sum += (own.empty() ? 1 : own[i]) * each[i];
    }
    losses.push_back(std::isfinite(sum) ? std::min(sum, kHopeless) : kHopeless);
  }
  return {losses, static_cast<double>(apart ? view.count(part) : out)};
}

}  // namespace

Shared shrunk_model(const Shelf& shelf, ClientView& view) {
  auto& state = view.state<ShrinkState>();
  if (state.model.size() > 0) return Shared::of(state.model, view.precision());
  std::vector<std::size_t> sent;
  for (std::size_t k = 0; k < shelf.size(); ++k) {
    if (shelf.has(k)) sent.push_back(k);
  }
  if (sent.empty()) throw Error("no model was sent");
  if (sent.size() == 1) return shelf[sent[0]];
  Vec losses;
  for (const std::size_t k : sent) losses.push_back(objective_at(view, shelf[k]));
  return shelf[sent[lowest(losses)]];
}

const Job<JoinNote, JoinReply>& join_job() {
  static const Job<JoinNote, JoinReply> job("join",
                                            [](const Shelf& shelf, const JoinNote&, ClientView& view) {
                                              Vec losses;
                                              for (std::size_t k = 0; k < shelf.size(); ++k)
                                                losses.push_back(objective_at(view, shelf[k]));
                                              return JoinReply{static_cast<std::uint32_t>(lowest(losses))};
                                            });
  return job;
}

const Job<ShrinkNote, TriedReply>& try_pulls_job() {
  static const Job<ShrinkNote, TriedReply> job(
      "try-pulls", [](const Shelf& shelf, const ShrinkNote& note, ClientView& view) {
        const Sent sent = read_sent(shelf, note, view);
        return note.exact ? try_exactly(sent, note, view) : try_by_training(sent, note, view);
      });
  return job;
}

const Job<ShrinkNote, ShrunkReply>& shrink_job() {
  static const Job<ShrinkNote, ShrunkReply> job(
      "shrink", [](const Shelf& shelf, const ShrinkNote& note, ClientView& view) {
        const Sent sent = read_sent(shelf, note, view);
        auto& state = view.state<ShrinkState>();
        if (note.exact) {
          const double lambda = note.lambda < 0 ? std::numeric_limits<double>::infinity() : note.lambda;
          const Batch<double> rows = view.batch<double>(Part::train);
          const PulledFit fit(view.model(), rows, sent.model.values(), sent.curvature, sent.fixed);
          state.model = Numbers(view.to_shared(fit.minimum(lambda)).values());
        } else {
          state.model = Numbers(tuned(sent.model, note.lambda, note, {}, view).values());
        }
        return ShrunkReply{state.model.largest(std::numeric_limits<float>::max())};
      });
  return job;
}

}  // namespace coterie
