// Gradient descent over all of a client's rows: the local steps of IFCA's experiments and of FedMD's FedAvg.
//
// Choose it for small clients and for exact comparisons with theory; sgd learns more from a pass over many
// rows.
#include "solvers/dual.h"

namespace coterie {
namespace {

class Gd : public Solver {
 public:
  void options(Options& o) override {
    o("steps", &steps_, "gradient steps a round", at_least(1));
    step_.options(o);
  }
  void train(LocalJob<float>& job) const override { descend(job); }
  void train(LocalJob<double>& job) const override { descend(job); }
  bool momentum_survives() const override { return step_.momentum_survives; }
  bool plain() const override {
    return steps_ == 1 && step_.momentum == 0 && step_.weight_decay == 0 && step_.clip == 0;
  }
  double rate(std::uint32_t round) const override { return step_.rate.in_round(round); }
  bool wants_rate() const override { return step_.rate.is_auto(); }
  void agree_rate(double rate, double of_gradient) override { step_.rate.agree(rate, of_gradient); }
  double gradient_rate(std::uint32_t round) const override { return step_.rate.of_gradient(round); }
  std::optional<double> rate_for(double smoothness) const override { return step_.rate_for(smoothness); }
  double passes(std::size_t) const override { return static_cast<double>(steps_); }

 private:
  template <class Real>
  void descend(LocalJob<Real>& job) const {
    if (job.data.rows == 0) {
      std::copy(job.start.begin(), job.start.end(), job.w.begin());
      return;
    }
    if (dual_pays(job, step_, static_cast<double>(steps_), static_cast<std::size_t>(steps_))) {
      DualDescent<Real> descent(step_, job);
      for (std::int64_t s = 0; s < steps_; ++s) descent.step();
      return descent.finish();
    }
    Descent<Real> descent(step_, job);
    for (std::int64_t s = 0; s < steps_; ++s) descent.step(job.data);
  }

  std::int64_t steps_ = 1;
  StepOptions step_;
};

const Registration<Solver> kGd{"gd", "gradient descent over all of a client's samples",
                               [] { return std::make_unique<Gd>(); }};

}  // namespace
}  // namespace coterie
