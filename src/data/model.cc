#include "coterie/model.h"

#include <algorithm>

#include "coterie/error.h"
#include "math/gemm.h"

namespace coterie {
namespace {

// features W + b
template <class Real>
void apply_head(const Model& model, std::span<const Real> w, std::span<const Real> features,
                std::span<Real> out) {
  const std::vector<Layer>& layers = model.layers();
  const auto head = std::find_if(layers.begin(), layers.end(),
                                 [&](const Layer& layer) { return layer.offset == model.head(); });
  const std::size_t inputs = head->inputs(), outputs = head->outputs();
  check(w.size() == model.size(), "parameters of another model");
  check(features.size() % inputs == 0 && out.size() == features.size() / inputs * outputs,
        "features that do not fit the head");
  const Real* weights = w.data() + head->offset;
  const std::size_t rows = features.size() / inputs;
  const Matrix<const Real> by = head->inputs_first
                                    ? Matrix<const Real>(weights, inputs, outputs)
                                    : Matrix<const Real>(weights, outputs, inputs).transposed();
  multiply(Matrix<const Real>(features.data(), rows, inputs), by, Matrix<Real>(out.data(), rows, outputs));
  const auto bias = std::next(head);
  if (bias == layers.end() || bias->buffer) return;
  check(std::next(bias) == layers.end() || std::next(bias)->buffer, "a head that is not one dense layer");
  for (std::size_t j = 0; j < out.size(); ++j) out[j] += w[bias->offset + j % outputs];
}

}  // namespace

std::size_t Layer::size() const {
  std::size_t product = 1;
  for (const std::size_t one : shape) product *= one;
  return product;
}

void Model::take(const Shape& shape, std::vector<Layer> layers) {
  if (shape.width == 0) throw Error("model: the samples have no features; a model needs at least one");
  shape_ = shape;
  layers_ = std::move(layers);
  size_ = trainable_ = head_ = depth_ = 0;
  penalised_.clear();
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    check(layer.offset == size_ && layer.size() > 0, "layers cover the parameters in order");
    check(layer.buffer || trainable_ == size_, "buffers come last");
    size_ += layer.size();
    if (layer.buffer) continue;
    trainable_ = size_;
    if (layer.is_matrix()) {
      head_ = l;
      ++depth_;
    }
    if (!penalises(layer)) continue;
    const bool next =
        !penalised_.empty() && penalised_.back().offset + penalised_.back().size == layer.offset;
    if (!next) penalised_.push_back({layer.offset, 0});
    penalised_.back().size += layer.size();
  }
  check(trainable_ > 0, "a model without parameters");
  depth_ = std::max<std::size_t>(depth_, 1);
}

template <class Real>
void Model::check_call(std::span<const Real> w, const Batch<Real>& batch, bool targets) const {
  check(!layers_.empty(), "a model that is not bound");
  check(w.size() == size_, "parameters of another model");
  check(batch.width == shape_.width && batch.x.size() == batch.rows * batch.width,
        "a batch of another shape");
  check(!targets || batch.y.size() == batch.rows, "a target for every row is needed");
  check(batch.weights.empty() || batch.weights.size() == batch.rows,
        "row weights that do not fit their batch");
  check(batch.backgrounds.empty() || batch.backgrounds.size() == batch.rows,
        "backgrounds that do not fit their batch");
}
template void Model::check_call(std::span<const float>, const Batch<float>&, bool) const;
template void Model::check_call(std::span<const double>, const Batch<double>&, bool) const;

void Model::check_place(std::size_t given, std::size_t needed) {
  check(given == needed, "a result needs a place of its size");
}

void Model::head_outputs(std::span<const float> w, std::span<const float> features,
                         std::span<float> out) const {
  apply_head(*this, w, features, out);
}
void Model::head_outputs(std::span<const double> w, std::span<const double> features,
                         std::span<double> out) const {
  apply_head(*this, w, features, out);
}

std::size_t trailing_intercepts(const Model& model) {
  const auto last = std::find_if(model.layers().rbegin(), model.layers().rend(),
                                 [](const Layer& layer) { return !layer.buffer; });
  return last->name.ends_with("bias") ? last->size() : 0;
}

}  // namespace coterie
