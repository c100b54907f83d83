// A multi-layer perceptron: dense layers with biases, ReLU between them; cross-entropy (or `loss`) for
// classes, 1/2 (z - y)^2 for numbers. Starts as PyTorch's linear layers do: weights and biases uniform on
// +-1/sqrt(inputs of the layer).
//
// Choose it for images and other data that a linear model cannot separate: hidden = [200] is the network of
// the rotated and permuted MNIST experiments. hidden = [] is softmax regression.
//
// The flat vector goes layer by layer: weights (inputs x outputs, row-major: the forward product then reads
// them as they lie), then biases.
#include <cmath>

#include "math/gemm.h"
#include "math/gemv.h"
#include "math/scratch.h"
#include "math/softmax.h"
#include "models/class_loss.h"
#include "models/model_base.h"

namespace coterie {
namespace {

constexpr double kErrorFactor = 0.5;  // the loss of a regression is half the squared error

struct Dense {
  std::size_t inputs;
  std::size_t outputs;
  std::size_t weight;  // offsets in the flat vector
  std::size_t bias;
  std::size_t place;  // outputs of the layers before, the first left out
};

class Mlp : public ModelBase<Mlp> {
 public:
  void options(Options& o) override {
    o("hidden", &hidden_, "widths of the hidden layers", between(1, 1 << 20));
    loss_.options(o);
    l2_option(o);
  }
  LossKind loss_kind() const override {
    return shape().task == Task::regression ? LossKind::squared : loss_.kind();
  }
  double loss_factor() const override { return kErrorFactor; }
  void init(Vec& parameters, Stream& stream) const override;
  double forward_flops() const override;
  double gradient_flops() const override;

  template <class Real>
  const Real* inputs_of(const Batch<Real>& batch) const {
    return batch.x.data();
  }
  template <class Real>
  void losses_of(std::span<const Real> tail, std::span<Real> sums, std::span<const double> y,
                 std::span<double> out) const;
  template <class Real>
  double gradient_of(std::span<const Real> tail, std::span<Real> sums, std::span<const double> y,
                     std::span<const double> weights, double share, std::span<Real> gradient) const;
  template <class Real>
  void norms_of(std::span<const Real> tail, std::span<Real> sums, std::span<const double> y,
                std::span<double> losses, std::span<double> slopes, std::span<double> features) const;
  template <class Real>
  void outputs_of(std::span<const Real> tail, std::span<Real> sums, std::span<double> out) const;
  template <class Real>
  void features_of(std::span<const Real> w, const Batch<Real>& batch, std::span<Real> out) const;

 protected:
  std::vector<Layer> build(const Shape& shape, std::uint64_t seed) override;

 private:
  struct OutputRoom;
  struct SlopeRoom;
  struct LossRoom;

  // Where a layer's weights and biases are in the tail.
  template <class Real>
  Matrix<Real> weights(std::span<Real> tail, std::size_t l) const {
    return {tail.data() + dense_[l].weight - first().size(), dense_[l].inputs, dense_[l].outputs};
  }
  template <class Real>
  std::span<Real> biases(std::span<Real> tail, std::size_t l) const {
    return tail.subspan(dense_[l].bias - first().size(), dense_[l].outputs);
  }
  // What layer `l` gave for the rows: the first layer's is where its sums were, the others' are in `room`.
  template <class Real>
  Matrix<Real> output(std::span<Real> sums, std::span<Real> room, std::size_t l) const {
    const std::size_t rows = sums.size() / dense_.front().outputs;
    if (l == 0) return {sums.data(), rows, dense_[0].outputs};
    return {room.data() + rows * dense_[l].place, rows, dense_[l].outputs};
  }
  template <class Real>
  std::span<Real> all_of(const Matrix<Real>& m) const {
    return {m.data, m.rows * m.columns};
  }
  // Goes on from the first layer's sums up to layer `depth`; returns the other layers' outputs.
  template <class Real>
  std::span<Real> forward(std::span<const Real> tail, std::span<Real> sums, std::size_t depth) const;
  // Losses of the rows; scores become d loss / d scores.
  template <class Real>
  void losses_and_slopes(std::span<const double> y, std::span<Real> scores, std::span<double> losses) const;
  // Sets the gradient, given the slopes of the last layer's scores; the sums become slopes.
  template <class Real>
  void backward(std::span<const Real> tail, std::span<Real> sums, std::span<Real> room,
                std::span<Real> gradient) const;

  std::vector<std::int64_t> hidden_ = {64};
  ClassLoss loss_;
  std::vector<Dense> dense_;
  std::size_t all_outputs_ = 0;
  std::size_t widest_ = 0;  // hidden layer after the first
};

std::vector<Layer> Mlp::build(const Shape& shape, std::uint64_t) {
  constexpr std::size_t kMostParameters = std::size_t(1) << 31;
  const bool classes = shape.task == Task::classification;
  if (classes && shape.classes < 2) {
    throw Error("model.kind = \"mlp\" needs at least 2 classes, but the samples have " +
                std::to_string(shape.classes));
  }
  std::vector<std::size_t> widths(hidden_.begin(), hidden_.end());
  widths.push_back(classes ? shape.classes : 1);
  dense_.clear();
  all_outputs_ = widest_ = 0;
  std::size_t inputs = shape.width;
  std::size_t offset = 0;
  for (const std::size_t outputs : widths) {
    dense_.push_back({inputs, outputs, offset, offset + inputs * outputs, all_outputs_});
    offset += (inputs + 1) * outputs;
    if (dense_.size() > 1) all_outputs_ += outputs;
    if (dense_.size() > 1 && dense_.size() < widths.size()) widest_ = std::max(widest_, outputs);
    inputs = outputs;
  }
  if (offset > kMostParameters) {
    throw Error("model.hidden: the network would have " + std::to_string(offset) + " parameters; at most " +
                std::to_string(kMostParameters) + " are allowed, so make its layers narrower");
  }
  bind_first(dense_.front().inputs, dense_.front().outputs);
  std::vector<Layer> all;
  for (std::size_t l = 0; l < dense_.size(); ++l) {
    const Dense& dense = dense_[l];
    const std::string name = "layer" + std::to_string(l + 1);
    // torch.nn.Sequential counts the ReLUs in between as well.
    const std::string key = std::to_string(2 * l);
    all.push_back({.name = name + ".weight",
                   .offset = dense.weight,
                   .shape = {dense.outputs, dense.inputs},
                   .inputs_first = true,
                   .key = key + ".weight"});
    all.push_back(
        {.name = name + ".bias", .offset = dense.bias, .shape = {dense.outputs}, .key = key + ".bias"});
  }
  return all;
}

void Mlp::init(Vec& parameters, Stream& stream) const {
  parameters.clear();
  parameters.reserve(size());
  for (const Dense& layer : dense_) {
    const double bound = 1 / std::sqrt(static_cast<double>(layer.inputs));
    for (std::size_t i = 0; i < (layer.inputs + 1) * layer.outputs; ++i) {
      parameters.push_back(stream.uniform(-bound, bound));
    }
  }
}

double Mlp::forward_flops() const {
  double flops = 0;
  for (const Dense& layer : dense_) flops += 2.0 * static_cast<double>(layer.inputs * layer.outputs);
  return flops;
}

// Each layer's product once forward and twice backward, but the first needs no slopes of its input.
double Mlp::gradient_flops() const {
  return 3 * forward_flops() - 2.0 * static_cast<double>(dense_.front().inputs * dense_.front().outputs);
}

template <class Real>
std::span<Real> Mlp::forward(std::span<const Real> tail, std::span<Real> sums, std::size_t depth) const {
  const std::size_t rows = sums.size() / dense_.front().outputs;
  const std::span<Real> room = scratch<Real, OutputRoom>(rows * all_outputs_);
  for (std::size_t l = 0; l < depth; ++l) {
    const Matrix<Real> out = output(sums, room, l);
    if (l > 0) multiply(output(sums, room, l - 1), weights(tail, l), out);
    if (l + 1 < dense_.size()) {
      relu(biases(tail, l), all_of(out));
    } else {
      add_bias(biases(tail, l), all_of(out));
    }
  }
  return room;
}

template <class Real>
void Mlp::losses_and_slopes(std::span<const double> y, std::span<Real> scores,
                            std::span<double> losses) const {
  if (shape().task == Task::regression) return squared_losses(kErrorFactor, y, scores, losses);
  loss_.losses_and_slopes(y, outputs(), scores, losses);
}

template <class Real>
void Mlp::backward(std::span<const Real> tail, std::span<Real> sums, std::span<Real> room,
                   std::span<Real> gradient) const {
  const Real one = 1;
  Matrix<Real> slopes = output(sums, room, dense_.size() - 1);
  const std::span<Real> two =
      scratch<Real, SlopeRoom>(2 * slopes.rows * std::max(widest_, dense_[0].outputs));
  for (std::size_t l = dense_.size(); l-- > 0;) {
    combine_rows(&one, 0, slopes, biases(gradient, l).data(), Into::set);
    if (l == 0) break;
    const Matrix<Real> in = output(sums, room, l - 1);
    multiply(in.transposed(), slopes, weights(gradient, l));
    const Matrix<Real> before(two.data() + (l % 2) * two.size() / 2, in.rows, in.columns);
    multiply(slopes, weights(tail, l).transposed(), before);
    if (l == 1) {
      // The first layer's outputs are no longer needed: its slopes take their place.
      for (std::size_t j = 0; j < sums.size(); ++j) sums[j] = sums[j] > 0 ? before.data[j] : Real(0);
      slopes = in;
    } else {
      relu_gradient(all_of(in), all_of(before));
      slopes = before;
    }
  }
}

template <class Real>
void Mlp::losses_of(std::span<const Real> tail, std::span<Real> sums, std::span<const double> y,
                    std::span<double> out) const {
  const std::span<Real> room = forward(tail, sums, dense_.size());
  losses_and_slopes<Real>(y, all_of(output(sums, room, dense_.size() - 1)), out);
}

template <class Real>
double Mlp::gradient_of(std::span<const Real> tail, std::span<Real> sums, std::span<const double> y,
                        std::span<const double> weights, double share, std::span<Real> gradient) const {
  const std::span<double> losses = scratch<double, LossRoom>(y.size());
  const std::span<Real> room = forward(tail, sums, dense_.size());
  const std::span<Real> scores = all_of(output(sums, room, dense_.size() - 1));
  losses_and_slopes<Real>(y, scores, losses);
  const double sum = weigh_rows<Real>(weights, losses, share, scores);
  backward(tail, sums, room, gradient);
  return sum;
}

template <class Real>
void Mlp::norms_of(std::span<const Real> tail, std::span<Real> sums, std::span<const double> y,
                   std::span<double> losses, std::span<double> slopes, std::span<double> features) const {
  const std::span<Real> room = forward(tail, sums, dense_.size());
  const std::span<Real> scores = all_of(output(sums, room, dense_.size() - 1));
  std::fill(features.begin(), features.end(), 0.0);
  if (dense_.size() > 1) {
    row_norms(std::span<const Real>(all_of(output(sums, room, dense_.size() - 2))), dense_.back().inputs,
              features);
  }
  losses_and_slopes<Real>(y, scores, losses);
  row_norms(std::span<const Real>(scores), outputs(), slopes);
}

template <class Real>
void Mlp::outputs_of(std::span<const Real> tail, std::span<Real> sums, std::span<double> out) const {
  const std::span<Real> room = forward(tail, sums, dense_.size());
  const std::span<Real> scores = all_of(output(sums, room, dense_.size() - 1));
  if (shape().task == Task::classification) softmax_rows(scores, outputs());
  std::copy(scores.begin(), scores.end(), out.begin());
}

template <class Real>
void Mlp::features_of(std::span<const Real> w, const Batch<Real>& batch, std::span<Real> out) const {
  if (dense_.size() == 1) {
    std::copy(batch.x.begin(), batch.x.end(), out.begin());
    return;
  }
  const std::span<Real> sums = scratch<Real, struct FeatureRoom>(batch.rows * dense_[0].outputs);
  multiply(first_rows(batch.x.data(), batch.width, batch),
           Matrix<const Real>(w.data(), dense_[0].inputs, dense_[0].outputs),
           Matrix<Real>(sums.data(), batch.rows, dense_[0].outputs));
  const std::span<Real> room = forward(w.subspan(first().size()), sums, dense_.size() - 1);
  const std::span<Real> last = all_of(output(sums, room, dense_.size() - 2));
  std::copy(last.begin(), last.end(), out.begin());
}

const Registration<Model> kMlp{"mlp", "dense layers with ReLU between them",
                               [] { return std::make_unique<Mlp>(); }};

}  // namespace
}  // namespace coterie
