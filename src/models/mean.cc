// A point w that is near the samples x: the loss of a row is |w - x|^2 / 2, so that a client's gradient at w
// is w less the mean of its samples. Targets are not read, and nothing is predicted.
//
// Choose it to look at how a method groups vectors, without a learning task in the way: ifca is then a
// distributed k-means, and a round of federated-clustering from 0 is threshold clustering of the clients'
// means. Use it with the source "blobs" and classes = 1.
#include "models/plain_model.h"

namespace coterie {
namespace {

class Mean : public PlainModel<Mean> {
 public:
  void options(Options& o) override {
    o("init_scale", &init_scale_, "deviation of the coordinates of a start", at_least(0));
  }
  double forward_flops() const override { return 3.0 * static_cast<double>(size()); }
  double gradient_flops() const override { return 5.0 * static_cast<double>(size()); }
  void init(Vec& parameters, Stream& stream) const override {
    parameters.assign(size(), 0.0);
    for (double& x : parameters) x = init_scale_ * stream.normal();
  }

  template <class Real>
  void predict_as(std::span<const Real>, const Batch<Real>&, std::span<double> out) const {
    std::fill(out.begin(), out.end(), 0.0);
  }
  template <class Real>
  void features_as(std::span<const Real>, const Batch<Real>&, std::span<Real> out) const {
    std::fill(out.begin(), out.end(), Real(0));
  }
  template <class Real>
  double loss_of(std::span<const Real> w, std::span<const Real> row, double weight,
                 std::span<double> gradient) const {
    double loss = 0;
    for (std::size_t k = 0; k < w.size(); ++k) {
      const double gap = static_cast<double>(w[k]) - static_cast<double>(row[k]);
      loss += 0.5 * gap * gap;
      if (!gradient.empty()) gradient[k] += weight * gap;
    }
    return loss;
  }

 protected:
  std::vector<Layer> build(const Shape& shape, std::uint64_t) override {
    if (shape.classes > 1) {
      throw Error("model.kind = \"mean\" tells no classes apart, but the samples have " +
                  std::to_string(shape.classes) + "; use \"softmax\" or \"mlp\"");
    }
    return {{.name = "point", .shape = {shape.width}}};
  }

 private:
  double init_scale_ = 1;
};

const Registration<Model> kMean{"mean", "a point near the samples, squared distance",
                                [] { return std::make_unique<Mean>(); }};

}  // namespace
}  // namespace coterie
