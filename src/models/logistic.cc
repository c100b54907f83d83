// Binary logistic regression: the loss of a row is  log(1 + exp(-s x.w))  with s = 1 for class 1 and -1 for
// class 0.
//
// Choose it for two classes when one vector of weights is wanted, as theory papers have it; "softmax" with
// two classes holds two.
#include "math/elementary.h"
#include "models/score_model.h"

namespace coterie {
namespace {

class Logistic : public ScoreModel<Logistic> {
 public:
  Logistic() : ScoreModel("uniform", /*intercept=*/true) {}

  LossKind loss_kind() const override { return LossKind::logistic; }

  template <class Real>
  void losses_and_slopes(std::span<const double> y, std::span<Real> scores, std::span<double> losses) const {
    for (const double label : y) {
      if (label != 0 && label != 1) check(false, "a label that is not a class");
    }
    for (std::size_t j = 0; j < y.size(); ++j) {
      const double sign = 1 - 2 * y[j];  // of the score in the exponent
      const double score = sign * static_cast<double>(scores[j]);
      losses[j] = softplus(score);
      scores[j] = static_cast<Real>(sign * sigmoid(score));
    }
  }
  template <class Real>
  void scores_to_outputs(std::span<Real> scores, std::span<double> out) const {
    for (std::size_t j = 0; j < scores.size(); ++j) {
      out[2 * j] = sigmoid(-static_cast<double>(scores[j]));
      out[2 * j + 1] = sigmoid(static_cast<double>(scores[j]));
    }
  }

 protected:
  std::vector<Layer> build(const Shape& shape, std::uint64_t seed) override {
    if (shape.task != Task::classification) {
      throw Error(
          "model.kind = \"logistic\" tells two classes apart, but the targets are numbers; use \"linear\" or "
          "\"mlp\"");
    }
    if (shape.classes != 2) {
      throw Error("model.kind = \"logistic\" needs 2 classes, but the samples have " +
                  std::to_string(shape.classes) + "; use \"softmax\" or \"mlp\"");
    }
    return layers_with(shape, 1, seed);
  }
};

const Registration<Model> kLogistic{"logistic", "binary logistic regression, one vector of weights",
                                    [] { return std::make_unique<Logistic>(); }};

}  // namespace
}  // namespace coterie
