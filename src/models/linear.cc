// Linear regression: the loss of a row is  factor (x.w - y)^2.
//
// Choose it for targets that are numbers; with `features` it fits curves as well. factor = 0.5, the default,
// makes the gradient X'(Xw - y)/n; factor = 1 gives the mean squared error whose gradient is twice that, as
// the IFCA authors' code has it.
#include "models/score_model.h"

namespace coterie {
namespace {

class Linear : public ScoreModel<Linear> {
 public:
  Linear() : ScoreModel("normal", /*intercept=*/true) {}

  void options(Options& o) override {
    o("factor", &factor_, "the loss is factor (prediction - y)^2", above(0));
    ScoreModel::options(o);
  }
  LossKind loss_kind() const override { return LossKind::squared; }
  double loss_factor() const override { return factor_; }

  template <class Real>
  void losses_and_slopes(std::span<const double> y, std::span<Real> scores, std::span<double> losses) const {
    squared_losses(factor_, y, scores, losses);
  }
  template <class Real>
  void scores_to_outputs(std::span<Real> scores, std::span<double> out) const {
    std::copy(scores.begin(), scores.end(), out.begin());
  }

 protected:
  std::vector<Layer> build(const Shape& shape, std::uint64_t seed) override {
    if (shape.task != Task::regression) {
      throw Error("model.kind = \"linear\" predicts a number, but the samples have " +
                  std::to_string(shape.classes) + " classes; use \"softmax\" or \"mlp\"");
    }
    return layers_with(shape, 1, seed);
  }

 private:
  double factor_ = 0.5;
};

const Registration<Model> kLinear{"linear", "linear regression, squared loss",
                                  [] { return std::make_unique<Linear>(); }};

}  // namespace
}  // namespace coterie
