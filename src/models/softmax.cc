// Softmax regression: scores x W + b, cross-entropy unless told otherwise. The default start is that of a
// PyTorch linear layer.
//
// Choose it as the simplest classifier for any number of classes; it is convex.
#include "math/softmax.h"

#include "models/class_loss.h"
#include "models/score_model.h"

namespace coterie {
namespace {

class Softmax : public ScoreModel<Softmax> {
 public:
  Softmax() : ScoreModel("uniform", /*intercept=*/true) {}

  void options(Options& o) override {
    loss_.options(o);
    ScoreModel::options(o);
  }
  LossKind loss_kind() const override { return loss_.kind(); }

  template <class Real>
  void losses_and_slopes(std::span<const double> y, std::span<Real> scores, std::span<double> losses) const {
    loss_.losses_and_slopes(y, outputs(), scores, losses);
  }
  template <class Real>
  void scores_to_outputs(std::span<Real> scores, std::span<double> out) const {
    softmax_rows(scores, outputs());
    std::copy(scores.begin(), scores.end(), out.begin());
  }

 protected:
  std::vector<Layer> build(const Shape& shape, std::uint64_t seed) override {
    if (shape.task != Task::classification) {
      throw Error(
          "model.kind = \"softmax\" tells classes apart, but the targets are numbers; use \"linear\" or "
          "\"mlp\"");
    }
    if (shape.classes < 2) {
      throw Error("model.kind = \"softmax\" needs at least 2 classes, but the samples have " +
                  std::to_string(shape.classes));
    }
    return layers_with(shape, shape.classes, seed);
  }

 private:
  ClassLoss loss_;
};

const Registration<Model> kSoftmax{"softmax", "softmax regression, cross-entropy",
                                   [] { return std::make_unique<Softmax>(); }};

}  // namespace
}  // namespace coterie
