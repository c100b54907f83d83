// The skeleton of a model: a linear regression without intercept, whose loss is half the squared error. Copy
// it to src/models/NAME.cc and change the name "skeleton"; the contract tests find it by its name.
#include "coterie/model.h"

namespace coterie {
namespace {

class Line : public ModelOf<Line> {
 public:
  void init(Vec& parameters, Stream& stream) const override {
    parameters.resize(size());
    stream.normals(parameters);
  }

  // Each kernel is written once, for floats and doubles.
  template <class Real>
  void predict_as(std::span<const Real> w, const Batch<Real>& batch, std::span<double> out) const {
    for (std::size_t i = 0; i < batch.rows; ++i) {
      out[i] = 0;
      for (std::size_t j = 0; j < batch.width; ++j) {
        out[i] += static_cast<double>(w[j]) * static_cast<double>(batch.x[i * batch.width + j]);
      }
    }
  }
  template <class Real>
  void losses_as(std::span<const Real> w, const Batch<Real>& batch, std::span<double> out) const {
    predict_as(w, batch, out);
    for (std::size_t i = 0; i < batch.rows; ++i) out[i] = 0.5 * (out[i] - batch.y[i]) * (out[i] - batch.y[i]);
  }
  template <class Real>
  double gradient_as(std::span<const Real> w, const Batch<Real>& batch, std::span<Real> gradient) const {
    std::vector<double> predicted(batch.rows);
    predict_as(w, batch, std::span<double>(predicted));
    std::fill(gradient.begin(), gradient.end(), Real(0));
    double value = 0;
    for (std::size_t i = 0; i < batch.rows; ++i) {
      const double weight = (batch.weights.empty() ? 1 : batch.weights[i]) / static_cast<double>(batch.rows);
      const double gap = predicted[i] - batch.y[i];
      for (std::size_t j = 0; j < batch.width; ++j) {
        gradient[j] += static_cast<Real>(weight * gap) * batch.x[i * batch.width + j];
      }
      value += weight * 0.5 * gap * gap;
    }
    return value;
  }
  // The input of the last layer: here the input itself.
  template <class Real>
  void features_as(std::span<const Real>, const Batch<Real>& batch, std::span<Real> out) const {
    std::copy(batch.x.begin(), batch.x.end(), out.begin());
  }

 protected:
  std::vector<Layer> build(const Shape& shape, std::uint64_t) override {
    return {{.name = "weight", .shape = {1, shape.width}}};
  }
};

const Registration<Model> kLine{"skeleton", "linear regression, plainly written",
                                [] { return std::make_unique<Line>(); }};

}  // namespace
}  // namespace coterie
