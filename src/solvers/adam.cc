// Adam (Kingma and Ba, 2015, Algorithm 1) on mini-batches: with g the gradient of step t, clipped, plus
// weight_decay w + prox (w - centre),
//
//   m = beta1 m + (1 - beta1) g          v = beta2 v + (1 - beta2) g^2
//   w = w - rate m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + epsilon)
//
// as torch.optim.Adam has it. m, v and t begin at zero in every round: a client that is asked again has
// another model, whose slopes these are not.
//
// Choose it for networks whose layers need steps of very different size. Its steps have about the length
// `rate` in every coordinate, whatever the slopes are, so a rate that suits sgd is far too large here; "auto"
// tries rates out. Averaged models of clients with Adam need not go where the mean of their losses falls
// fastest; sgd does more nearly.
#include <cmath>

#include "solvers/batches.h"
#include "solvers/steps.h"

namespace coterie {
namespace {

struct AdamOptions {
  RateOptions rate;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0;
  double clip = 0;

  void options(Options& o) {
    const Rule below_one{"must be at least 0 and below 1",
                         [](double value) { return value >= 0 && value < 1; }};
    rate.options(o);
    o("beta1", &beta1, "how much of the mean gradient is kept from step to step", below_one);
    o("beta2", &beta2, "how much of the mean squared gradient is kept from step to step", below_one);
    o("epsilon", &epsilon, "added to the root of the mean squared gradient", above(0));
    o("weight_decay", &weight_decay, "adds weight_decay * w to the gradient", at_least(0));
    o("clip", &clip, "the longest gradient of a step: longer ones are shortened to it; 0: none are",
      at_least(0));
  }
};

template <class Real>
class AdamDescent {
 public:
  AdamDescent(const AdamOptions& options, LocalJob<Real>& job)
      : options_(options),
        job_(job),
        rate_(options.rate.in_round(job.round, job.rate)),
        gradient_(scratch<Real, struct GradientTag>(job.w.size())),
        mean_(scratch<double, struct AdamMeanTag>(job.model.trainable())),
        square_(scratch<double, struct AdamSquareTag>(job.model.trainable())) {
    check(job.w.size() == job.model.size(), "parameters of another model");
    check(job.prox == 0 || job.centre.size() == job.w.size(), "a proximal term without its centre");
    if (!job.start.empty()) std::copy(job.start.begin(), job.start.end(), job.w.begin());
    std::fill(mean_.begin(), mean_.end(), 0.0);
    std::fill(square_.begin(), square_.end(), 0.0);
  }

  void step(const Batch<Real>& batch) {
    StepContext<Real> context{job_.stream, job_.w.subspan(job_.model.trainable())};
    job_.model.gradient(std::span<const Real>(job_.w), batch, gradient_, &context);
    clip_gradient(gradient_.first(mean_.size()), options_.clip);
    kept1_ *= options_.beta1;
    kept2_ *= options_.beta2;
    for (std::size_t j = 0; j < mean_.size(); ++j) {
      const auto w = static_cast<double>(job_.w[j]);
      double slope = static_cast<double>(gradient_[j]) + options_.weight_decay * w;
      if (job_.prox != 0) slope += job_.prox * (w - static_cast<double>(job_.centre[j]));
      mean_[j] = options_.beta1 * mean_[j] + (1 - options_.beta1) * slope;
      square_[j] = options_.beta2 * square_[j] + (1 - options_.beta2) * slope * slope;
      const double root = std::sqrt(square_[j] / (1 - kept2_));
      job_.w[j] = static_cast<Real>(w - rate_ * mean_[j] / (1 - kept1_) / (root + options_.epsilon));
    }
  }

 private:
  const AdamOptions& options_;
  LocalJob<Real>& job_;
  double rate_;
  double kept1_ = 1, kept2_ = 1;  // beta1^t, beta2^t
  std::span<Real> gradient_;
  std::span<double> mean_, square_;
};

class Adam : public Solver {
 public:
  void options(Options& o) override {
    batches_.options(o);
    step_.options(o);
  }
  void train(LocalJob<float>& job) const override { descend(job); }
  void train(LocalJob<double>& job) const override { descend(job); }
  double rate(std::uint32_t round) const override { return step_.rate.in_round(round); }
  bool wants_rate() const override { return step_.rate.is_auto(); }
  void agree_rate(double rate, double of_gradient) override { step_.rate.agree(rate, of_gradient); }
  double gradient_rate(std::uint32_t round) const override { return step_.rate.of_gradient(round); }
  std::size_t step_rows(std::size_t n) const override { return batches_.rows(n); }
  double passes(std::size_t n) const override { return batches_.passes(n); }

 private:
  template <class Real>
  void descend(LocalJob<Real>& job) const {
    if (job.data.rows == 0) {
      std::copy(job.start.begin(), job.start.end(), job.w.begin());
      return;
    }
    AdamDescent<Real> descent(step_, job);
    batches_.for_steps(
        job, [&] { descent.step(job.data); },
        [&](std::span<const std::uint32_t> rows) { descent.step(Batches::gather(job.data, rows)); });
  }

  Batches batches_;
  AdamOptions step_;
};

const Registration<Solver> kAdam{"adam", "Adam on mini-batches, begun anew in every round",
                                 [] { return std::make_unique<Adam>(); }};

}  // namespace
}  // namespace coterie
