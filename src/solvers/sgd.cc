// Mini-batch stochastic gradient descent (batches.h says what its batches are), with heavy-ball momentum
// where `momentum` is above 0. The usual choice.
#include "solvers/batches.h"
#include "solvers/dual.h"

namespace coterie {
namespace {

class Sgd : public Solver {
 public:
  void options(Options& o) override {
    batches_.options(o);
    step_.options(o);
  }
  void train(LocalJob<float>& job) const override { descend(job); }
  void train(LocalJob<double>& job) const override { descend(job); }
  bool momentum_survives() const override { return step_.momentum_survives; }
  double rate(std::uint32_t round) const override { return step_.rate.in_round(round); }
  bool wants_rate() const override { return step_.rate.is_auto(); }
  void agree_rate(double rate, double of_gradient) override { step_.rate.agree(rate, of_gradient); }
  double gradient_rate(std::uint32_t round) const override { return step_.rate.of_gradient(round); }
  std::optional<double> rate_for(double smoothness) const override { return step_.rate_for(smoothness); }
  std::size_t step_rows(std::size_t n) const override { return batches_.rows(n); }
  double passes(std::size_t n) const override { return batches_.passes(n); }

 private:
  template <class Real>
  void descend(LocalJob<Real>& job) const {
    const std::size_t n = job.data.rows;
    if (n == 0) {
      std::copy(job.start.begin(), job.start.end(), job.w.begin());
      return;
    }
    if (dual_pays(job, step_, batches_.passes(n), batches_.steps(n))) {
      DualDescent<Real> descent(step_, job);
      batches_.for_steps(
          job, [&] { descent.step(); }, [&](std::span<const std::uint32_t> rows) { descent.step(rows); });
      return descent.finish();
    }
    Descent<Real> descent(step_, job);
    bool at_start = true;
    batches_.for_steps(
        job, [&] { descent.step(job.data); },
        [&](std::span<const std::uint32_t> rows) {
          descent.step(Batches::gather(job.data, rows), at_start ? known_sums(job, rows) : std::span<Real>());
          at_start = false;
        });
  }

  // The sums of these rows under the first layer with which training begins, where the client knows them:
  // what it chose its model by. Only for as few rows as a model takes at a time, so that it changes no bit.
  template <class Real>
  static std::span<Real> known_sums(const LocalJob<Real>& job, std::span<const std::uint32_t> rows) {
    const FirstLayer* first = job.model.first_layer();
    if (!job.summed || first == nullptr || first->outputs() < 2 || rows.size() > rows_at_a_time<Real>(first))
      return {};
    const std::size_t h = first->outputs();
    const std::span<const Real> all = job.first_sums();
    const std::span<Real> some = scratch<Real, struct KnownSumsTag>(rows.size() * h);
    for (std::size_t i = 0; i < rows.size(); ++i)
      std::copy_n(all.data() + rows[i] * h, h, some.data() + i * h);
    return some;
  }

  Batches batches_;
  StepOptions step_;
};

const Registration<Solver> kSgd{"sgd", "mini-batch stochastic gradient descent",
                                [] { return std::make_unique<Sgd>(); }};

}  // namespace
}  // namespace coterie
