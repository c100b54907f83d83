// Softmax regression: scores x W + b, cross-entropy. The default start is that of a PyTorch linear layer.
//
// Choose it as the simplest classifier for any number of classes; it is convex.
#include "math/softmax.h"

#include "models/score_model.h"

namespace coterie {
namespace {

class Softmax : public ScoreModel<Softmax> {
 public:
  Softmax() : ScoreModel("uniform", /*intercept=*/true) {}

  void bind(const Shape& shape, std::uint64_t seed) override {
    if (shape.task != Task::classification) {
      throw Error(
          "model.kind = \"softmax\" tells classes apart, but the targets are numbers; use \"linear\" or "
          "\"mlp\"");
    }
    if (shape.classes < 2) {
      throw Error("model.kind = \"softmax\" needs at least 2 classes, but the samples have " +
                  std::to_string(shape.classes));
    }
    bind_scores(shape, shape.classes, seed);
  }
  std::size_t outputs() const override { return shape().classes; }
  Form form() const override { return Form::likelihood; }

  template <class Real>
  void losses_and_slopes(std::span<const double> y, std::span<Real> scores, std::span<double> losses) const {
    cross_entropy_rows(scores, outputs(), y, losses);
    for (std::size_t j = 0; j < y.size(); ++j)
      scores[j * outputs() + static_cast<std::size_t>(y[j])] -= Real(1);
  }
  template <class Real>
  void scores_to_outputs(std::span<Real> scores, std::span<double> out) const {
    softmax_rows(scores, outputs());
    std::copy(scores.begin(), scores.end(), out.begin());
  }
};

const Registration<Model> kSoftmax{"softmax", "softmax regression, cross-entropy",
                                   [] { return std::make_unique<Softmax>(); }};

}  // namespace
}  // namespace coterie
