// Softmax regression where the targets are classes, linear regression where they are numbers, so that a table
// works without saying which it has.
//
// The options are those of softmax; `loss` counts for classes only. On classes it is "softmax" to the bit. On
// numbers the loss is that of "linear" with its default factor, but the start is uniform, not normal.
#include "math/softmax.h"
#include "models/class_loss.h"
#include "models/score_model.h"

namespace coterie {
namespace {

class Auto : public ScoreModel<Auto> {
 public:
  Auto() : ScoreModel("uniform", /*intercept=*/true) {}

  void options(Options& o) override {
    loss_.options(o);
    ScoreModel::options(o);
  }
  LossKind loss_kind() const override { return classes() ? loss_.kind() : LossKind::squared; }
  double loss_factor() const override { return classes() ? 1 : kFactor; }

  template <class Real>
  void losses_and_slopes(std::span<const double> y, std::span<Real> scores, std::span<double> losses) const {
    if (classes()) {
      loss_.losses_and_slopes(y, outputs(), scores, losses);
    } else {
      squared_losses(kFactor, y, scores, losses);
    }
  }
  template <class Real>
  void scores_to_outputs(std::span<Real> scores, std::span<double> out) const {
    if (classes()) softmax_rows(scores, outputs());
    std::copy(scores.begin(), scores.end(), out.begin());
  }

 protected:
  std::vector<Layer> build(const Shape& shape, std::uint64_t seed) override {
    if (shape.task == Task::regression) return layers_with(shape, 1, seed);
    if (shape.classes < 2) {
      throw Error("model.kind = \"auto\" needs at least 2 classes, but the samples have " +
                  std::to_string(shape.classes));
    }
    return layers_with(shape, shape.classes, seed);
  }

 private:
  static constexpr double kFactor = 0.5;

  bool classes() const { return shape().task == Task::classification; }

  ClassLoss loss_;
};

const Registration<Model> kAuto{"auto", "softmax where targets are classes, linear where they are numbers",
                                [] { return std::make_unique<Auto>(); }};

}  // namespace
}  // namespace coterie
