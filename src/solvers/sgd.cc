// Mini-batch stochastic gradient descent: rows in a fresh random order each epoch, cut into batches.
#include <numeric>

#include "solvers/steps.h"

namespace coterie {
namespace {

class Sgd : public Solver {
 public:
  void options(Options& o) override {
    o("batch", &batch_, "rows in a step", at_least(1));
    o("epochs", &epochs_, "passes over the client's samples a round; default: 1", at_least(1));
    o("steps", &steps_, "steps a round instead of epochs, going on into further passes", at_least(1));
    o.require(!(epochs_ && steps_), "steps", "give either epochs or steps, not both");
    o("drop_last", &drop_last_, "leave out the last batch of an epoch when it is not full");
    step_.options(o);
  }
  void train(LocalJob<float>& job) const override { descend(job); }
  void train(LocalJob<double>& job) const override { descend(job); }
  bool momentum_survives() const override { return step_.momentum_survives; }
  double rate(std::uint32_t round) const override { return step_.rate_in(round); }
  double passes(std::size_t n) const override {
    if (n == 0) return 0;
    if (!steps_)
      return static_cast<double>(epochs_.value_or(1)) * static_cast<double>(rows_used(n)) /
             static_cast<double>(n);
    return static_cast<double>(*steps_) *
           static_cast<double>(std::min<std::size_t>(n, static_cast<std::size_t>(batch_))) /
           static_cast<double>(n);
  }

 private:
  // Rows of an epoch that end up in a batch. A client with less than one batch uses all it has.
  std::size_t rows_used(std::size_t n) const {
    auto batch = static_cast<std::size_t>(batch_);
    return drop_last_ && n >= batch ? n / batch * batch : n;
  }

  template <class Real>
  void descend(LocalJob<Real>& job) const {
    std::size_t n = job.data.rows;
    if (n == 0) return;
    auto batch = static_cast<std::size_t>(batch_);
    std::size_t used = rows_used(n);
    std::size_t per_epoch = (used + batch - 1) / batch;
    std::size_t steps = steps_ ? static_cast<std::size_t>(*steps_)
                               : static_cast<std::size_t>(epochs_.value_or(1)) * per_epoch;
    Descent<Real> descent(step_, job);
    std::vector<std::uint32_t> order(n);
    for (std::size_t s = 0; s < steps; ++s) {
      if (s % per_epoch == 0) {
        std::iota(order.begin(), order.end(), 0u);
        job.stream.shuffle(std::span(order));
      }
      std::size_t begin = s % per_epoch * batch;
      descent.step(gather(job.data, std::span(order).subspan(begin, std::min(batch, used - begin))));
    }
  }

  template <class Real>
  static Batch<Real> gather(const Batch<Real>& all, std::span<const std::uint32_t> rows) {
    std::span<Real> x = scratch<Real, struct RowsTag>(rows.size() * all.width);
    std::span<double> y = scratch<double, struct TargetsTag>(rows.size());
    std::span<double> weights = scratch<double, struct WeightsTag>(all.weights.empty() ? 0 : rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::copy_n(all.x.begin() + static_cast<std::ptrdiff_t>(rows[i] * all.width), all.width,
                  x.begin() + static_cast<std::ptrdiff_t>(i * all.width));
      y[i] = all.y[rows[i]];
      if (!weights.empty()) weights[i] = all.weights[rows[i]];
    }
    return {rows.size(), all.width, x, y, weights};
  }

  std::int64_t batch_ = 16;
  std::optional<std::int64_t> epochs_;
  std::optional<std::int64_t> steps_;
  bool drop_last_ = false;
  StepOptions step_;
};

const Registration<Solver> kSgd{"sgd", "mini-batch stochastic gradient descent",
                                [] { return std::make_unique<Sgd>(); }};

}  // namespace
}  // namespace coterie
