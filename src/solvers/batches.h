// How a client's rows are cut into the batches of a round: in a fresh random order each epoch (unless
// in_turn). What mini-batch solvers share.
//
// A round is `epochs` passes over the client's rows, or `steps` batches whatever its size; with in_turn a
// round's batches are those after the last round's, in the order of the rows, so that one pass may take
// several rounds (data.redeal deals other samples). Rounds are counted by their number, whoever was asked; a
// client that trains twice in a round has the same batches twice.
// A client with no more than one batch takes all its rows in every step; drop_last does not apply to it,
// since it would never train.
#pragma once

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>

#include "coterie/solver.h"
#include "math/scratch.h"

namespace coterie {

class Batches {
 public:
  void options(Options& o) {
    o("batch", &batch_, "rows in a step", at_least(1));
    o("epochs", &epochs_, "passes over the client's samples a round; default: 1", at_least(1));
    o("steps", &steps_, "steps a round instead of epochs, going on into further passes", at_least(1));
    o.require(!(epochs_ && steps_), "steps", "give either epochs or steps, not both");
    o("drop_last", &drop_last_, "leave out the last batch of an epoch when it is not full");
    o("in_turn", &in_turn_,
      "batches in the order of the rows, a round going on where the last one stopped; default: shuffled");
  }

  std::size_t rows(std::size_t n) const { return std::min(n, static_cast<std::size_t>(batch_)); }
  std::size_t steps(std::size_t n) const {
    if (steps_) return static_cast<std::size_t>(*steps_);
    return static_cast<std::size_t>(epochs_.value_or(1)) * steps_in_epoch(n);
  }
  double passes(std::size_t n) const {
    if (n == 0) return 0;
    if (in_turn_) {  // on average
      const std::size_t in_pass = std::min(n, steps_in_epoch(n) * rows(n));
      return static_cast<double>(steps(n) * in_pass) / static_cast<double>(steps_in_epoch(n) * n);
    }
    const std::size_t whole = steps(n) / steps_in_epoch(n);
    const std::size_t rest = steps(n) % steps_in_epoch(n);  // its batches are full: the short one is the last
    const std::size_t seen = whole * std::min(n, steps_in_epoch(n) * rows(n)) + rest * rows(n);
    return static_cast<double>(seen) / static_cast<double>(n);
  }

  // Calls `all` or `some` for each step: with no rows named, it is on all of them.
  template <class Real, class All, class Some>
  void for_steps(LocalJob<Real>& job, const All& all, const Some& some) const {
    const std::size_t n = job.data.rows;
    if (rows(n) == n) {
      for (std::size_t s = 0; s < steps(n); ++s) all();
      return;
    }
    const std::span<std::uint32_t> order = scratch<std::uint32_t, struct OrderTag>(n);
    std::iota(order.begin(), order.end(), 0u);
    const std::size_t before = in_turn_ ? (std::max(job.round, 1u) - 1) * steps(n) : 0;
    for (std::size_t s = 0; s < steps(n); ++s) {
      const std::size_t place = (before + s) % steps_in_epoch(n);
      if (place == 0 && !in_turn_) job.stream.shuffle(order);
      const std::size_t first = place * rows(n);
      some(order.subspan(first, std::min(rows(n), n - first)));
    }
  }

  // These rows, in memory that the next call on this thread overwrites.
  template <class Real>
  static Batch<Real> gather(const Batch<Real>& all, std::span<const std::uint32_t> rows) {
    std::span<Real> x = scratch<Real, struct RowsTag>(rows.size() * all.width);
    std::span<double> y = scratch<double, struct TargetsTag>(rows.size());
    std::span<double> weights = scratch<double, struct WeightsTag>(all.weights.empty() ? 0 : rows.size());
    const std::span<Real> backgrounds =
        scratch<Real, struct BackgroundsTag>(all.backgrounds.empty() ? 0 : rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::copy_n(all.x.begin() + static_cast<std::ptrdiff_t>(rows[i] * all.width), all.width,
                  x.begin() + static_cast<std::ptrdiff_t>(i * all.width));
      y[i] = all.y[rows[i]];
      if (!weights.empty()) weights[i] = all.weights[rows[i]];
      if (!backgrounds.empty()) backgrounds[i] = all.backgrounds[rows[i]];
    }
    return {rows.size(), all.width, x, y, weights, backgrounds};
  }

 private:
  std::size_t steps_in_epoch(std::size_t n) const {
    return drop_last_ ? n / rows(n) : (n + rows(n) - 1) / rows(n);
  }

  std::int64_t batch_ = 16;
  std::optional<std::int64_t> epochs_;
  std::optional<std::int64_t> steps_;
  bool drop_last_ = false;
  bool in_turn_ = false;
};

}  // namespace coterie
