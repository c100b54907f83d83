// A multi-layer perceptron: dense layers with biases, ReLU between them; cross-entropy for classes, 1/2 (z -
// y)^2 for numbers. Starts as PyTorch's linear layers do: weights and biases uniform on +-1/sqrt(inputs of
// the layer).
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
#include "models/model_base.h"

namespace coterie {
namespace {

constexpr double kErrorFactor = 0.5;  // the loss of a regression is half the squared error

struct Dense {
  std::size_t inputs;
  std::size_t outputs;
  std::size_t weight;  // offsets in the flat vector
  std::size_t bias;
  std::size_t place;  // outputs of the layers before
};

class Mlp : public ModelBase<Mlp> {
 public:
  void options(Options& o) override {
    o("hidden", &hidden_, "widths of the hidden layers", between(1, 1 << 20));
    l2_option(o);
  }
  void bind(const Shape& shape, std::uint64_t seed) override;

  std::size_t size() const override { return layers_.back().bias + layers_.back().outputs; }
  std::vector<Layer> layers() const override;
  std::size_t outputs() const override { return layers_.back().outputs; }
  std::size_t feature_width() const override { return layers_.back().inputs; }
  std::size_t head() const override { return layers_.back().weight; }
  void init(Vec& parameters, Stream& stream) const override;
  double forward_flops() const override;
  double gradient_flops() const override;
  double error_factor() const override { return kErrorFactor; }

  template <class Real>
  void losses_of(std::span<const Real> w, const Batch<Real>& batch, std::span<double> out) const;
  template <class Real>
  double gradient_of(std::span<const Real> w, const Batch<Real>& batch, std::span<Real> gradient) const;
  template <class Real>
  void predict_of(std::span<const Real> w, const Batch<Real>& batch, std::span<double> out) const;
  template <class Real>
  void features_of(std::span<const Real> w, const Batch<Real>& batch, std::span<Real> out) const;

 private:
  struct OutputRoom;
  struct SlopeRoom;
  struct LossRoom;

  // What layer `l` gave for `rows` rows, in memory that holds all layers' outputs.
  template <class Real>
  Matrix<Real> output(std::span<Real> room, std::size_t l, std::size_t rows) const {
    return {room.data() + rows * layers_[l].place, rows, layers_[l].outputs};
  }
  template <class Real>
  Matrix<const Real> input(std::span<Real> room, std::size_t l, const Batch<Real>& block) const {
    if (l == 0) return {block.x.data(), block.rows, block.width};
    return output(room, l - 1, block.rows);
  }
  template <class Real>
  std::span<Real> scores_in(std::span<Real> room, std::size_t rows) const {
    return room.subspan(rows * layers_.back().place, rows * outputs());
  }
  // The outputs of the first `depth` layers, in scratch memory.
  template <class Real>
  std::span<Real> forward(std::span<const Real> w, const Batch<Real>& block, std::size_t depth) const;
  // Losses of the rows; scores become d loss / d scores.
  template <class Real>
  void losses_and_slopes(std::span<const double> y, std::span<Real> scores, std::span<double> losses) const;
  // Adds or sets the gradient, given the slopes of the last layer's scores.
  template <class Real>
  void backward(std::span<const Real> w, const Batch<Real>& block, std::span<Real> room, Into into,
                std::span<Real> gradient) const;

  std::vector<std::int64_t> hidden_ = {64};
  std::vector<Dense> layers_;
  std::size_t all_outputs_ = 0;
  std::size_t widest_ = 0;  // hidden layer
};

void Mlp::bind(const Shape& shape, std::uint64_t) {
  constexpr std::size_t kMostParameters = std::size_t(1) << 31;
  const bool classes = shape.task == Task::classification;
  if (classes && shape.classes < 2) {
    throw Error("model.kind = \"mlp\" needs at least 2 classes, but the samples have " +
                std::to_string(shape.classes));
  }
  bind_shape(shape);
  std::vector<std::size_t> widths(hidden_.begin(), hidden_.end());
  widths.push_back(classes ? shape.classes : 1);
  layers_.clear();
  all_outputs_ = widest_ = 0;
  std::size_t inputs = shape.width;
  std::size_t offset = 0;
  for (const std::size_t outputs : widths) {
    layers_.push_back({inputs, outputs, offset, offset + inputs * outputs, all_outputs_});
    offset += (inputs + 1) * outputs;
    all_outputs_ += outputs;
    if (layers_.size() < widths.size()) widest_ = std::max(widest_, outputs);
    inputs = outputs;
  }
  if (offset > kMostParameters) {
    throw Error("model.hidden: the network would have " + std::to_string(offset) + " parameters; at most " +
                std::to_string(kMostParameters) + " are allowed, so make its layers narrower");
  }
}

std::vector<Layer> Mlp::layers() const {
  std::vector<Layer> all;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Dense& layer = layers_[l];
    const std::string name = "layer" + std::to_string(l + 1);
    all.push_back({name + ".weight", layer.weight, layer.inputs, layer.outputs});
    all.push_back({name + ".bias", layer.bias, 1, layer.outputs});
  }
  return all;
}

void Mlp::init(Vec& parameters, Stream& stream) const {
  parameters.clear();
  parameters.reserve(size());
  for (const Dense& layer : layers_) {
    const double bound = 1 / std::sqrt(static_cast<double>(layer.inputs));
    for (std::size_t i = 0; i < (layer.inputs + 1) * layer.outputs; ++i) {
      parameters.push_back(stream.uniform(-bound, bound));
    }
  }
}

double Mlp::forward_flops() const {
  double flops = 0;
  for (const Dense& layer : layers_) flops += 2.0 * static_cast<double>(layer.inputs * layer.outputs);
  return flops;
}

// Each layer's product once forward and twice backward, but the first needs no slopes of its input.
double Mlp::gradient_flops() const {
  return 3 * forward_flops() - 2.0 * static_cast<double>(layers_.front().inputs * layers_.front().outputs);
}

template <class Real>
std::span<Real> Mlp::forward(std::span<const Real> w, const Batch<Real>& block, std::size_t depth) const {
  const std::span<Real> room = scratch<Real, OutputRoom>(block.rows * all_outputs_);
  for (std::size_t l = 0; l < depth; ++l) {
    const Dense& layer = layers_[l];
    const Matrix<Real> out = output(room, l, block.rows);
    for (std::size_t i = 0; i < out.rows; ++i) {
      std::copy_n(w.data() + layer.bias, layer.outputs, out.data + i * layer.outputs);
    }
    multiply(input(room, l, block), Matrix<const Real>(w.data() + layer.weight, layer.inputs, layer.outputs),
             out, Into::add);
    if (l + 1 < layers_.size()) relu({out.data, out.rows * out.columns});
  }
  return room;
}

template <class Real>
void Mlp::losses_and_slopes(std::span<const double> y, std::span<Real> scores,
                            std::span<double> losses) const {
  if (shape().task == Task::regression) return squared_losses(kErrorFactor, y, scores, losses);
  cross_entropy_rows(scores, outputs(), y, losses);
  for (std::size_t j = 0; j < y.size(); ++j)
    scores[j * outputs() + static_cast<std::size_t>(y[j])] -= Real(1);
}

template <class Real>
void Mlp::backward(std::span<const Real> w, const Batch<Real>& block, std::span<Real> room, Into into,
                   std::span<Real> gradient) const {
  const Real one = 1;
  const std::span<Real> two = scratch<Real, SlopeRoom>(2 * block.rows * widest_);
  Matrix<Real> slopes = output(room, layers_.size() - 1, block.rows);
  for (std::size_t l = layers_.size(); l-- > 0;) {
    const Dense& layer = layers_[l];
    const Matrix<const Real> in = input(room, l, block);
    multiply(in.transposed(), slopes,
             Matrix<Real>(gradient.data() + layer.weight, layer.inputs, layer.outputs), into);
    combine_rows(&one, 0, slopes, gradient.data() + layer.bias, into);
    if (l == 0) break;
    const Matrix<Real> before(two.data() + (l % 2) * block.rows * widest_, block.rows, layer.inputs);
    const Matrix<const Real> weight(w.data() + layer.weight, layer.inputs, layer.outputs);
    multiply(slopes, weight.transposed(), before);
    relu_gradient(std::span<const Real>(in.data, in.rows * in.columns), {before.data, in.rows * in.columns});
    slopes = before;
  }
}

template <class Real>
void Mlp::losses_of(std::span<const Real> w, const Batch<Real>& batch, std::span<double> out) const {
  for (std::size_t first = 0; first < batch.rows; first += kBlockRows) {
    const Batch<Real> block = rows_of(batch, first, kBlockRows);
    const std::span<Real> room = forward(w, block, layers_.size());
    losses_and_slopes<Real>(block.y, scores_in(room, block.rows), out.subspan(first, block.rows));
  }
}

template <class Real>
double Mlp::gradient_of(std::span<const Real> w, const Batch<Real>& batch, std::span<Real> gradient) const {
  if (batch.rows == 0) std::fill(gradient.begin(), gradient.end(), Real(0));
  const double share = 1 / static_cast<double>(std::max<std::size_t>(batch.rows, 1));
  double sum = 0;
  for (std::size_t first = 0; first < batch.rows; first += kBlockRows) {
    const Batch<Real> block = rows_of(batch, first, kBlockRows);
    const std::span<Real> room = forward(w, block, layers_.size());
    const std::span<Real> scores = scores_in(room, block.rows);
    const std::span<double> losses = scratch<double, LossRoom>(block.rows);
    losses_and_slopes<Real>(block.y, scores, losses);
    sum += weigh_rows<Real>(block.weights, losses, share, scores);
    backward(w, block, room, first == 0 ? Into::set : Into::add, gradient);
  }
  return share * sum;
}

template <class Real>
void Mlp::predict_of(std::span<const Real> w, const Batch<Real>& batch, std::span<double> out) const {
  for (std::size_t first = 0; first < batch.rows; first += kBlockRows) {
    const Batch<Real> block = rows_of(batch, first, kBlockRows);
    const std::span<Real> scores = scores_in(forward(w, block, layers_.size()), block.rows);
    if (shape().task == Task::classification) softmax_rows(scores, outputs());
    std::copy(scores.begin(), scores.end(), out.begin() + static_cast<std::ptrdiff_t>(first * outputs()));
  }
}

template <class Real>
void Mlp::features_of(std::span<const Real> w, const Batch<Real>& batch, std::span<Real> out) const {
  const std::size_t last = layers_.size() - 1;
  for (std::size_t first = 0; first < batch.rows; first += kBlockRows) {
    const Batch<Real> block = rows_of(batch, first, kBlockRows);
    const Matrix<const Real> in = input(forward(w, block, last), last, block);
    std::copy_n(in.data, in.rows * in.columns, out.data() + first * in.columns);
  }
}

const Registration<Model> kMlp{"mlp", "dense layers with ReLU between them",
                               [] { return std::make_unique<Mlp>(); }};

}  // namespace
}  // namespace coterie
