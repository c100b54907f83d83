// A model with what native ones lack: a buffer at the end of its vector, and dropout.
//
// The prediction of a row is  x.w + b + r,  its loss half the squared error. r is a buffer: a running mean of
// the first feature, r = 0.5 r + 0.5 (mean of x_1 over the batch), written in each step. With dropout, a step
// sees each feature of each row with probability 1/2.
#pragma once

#include <memory>

#include "coterie/model.h"

namespace coterie {

class ToyModel : public ModelOf<ToyModel> {
 public:
  explicit ToyModel(bool dropout = false) : dropout_(dropout) {}
  void init(Vec& parameters, Stream& stream) const override {
    parameters.assign(size(), 0.0);
    for (std::size_t j = 0; j < trainable(); ++j) parameters[j] = stream.normal();
  }

  template <class Real>
  void losses_as(std::span<const Real> w, const Batch<Real>& batch, std::span<double> out) const {
    predict_as(w, batch, out);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = 0.5 * (out[i] - batch.y[i]) * (out[i] - batch.y[i]);
  }
  template <class Real>
  double gradient_as(std::span<const Real> w, const Batch<Real>& batch, std::span<Real> out,
                     StepContext<Real>* step) const {
    const std::size_t d = batch.width;
    double value = 0;
    std::fill(out.begin(), out.end(), Real(0));
    std::vector<Real> seen(batch.x.begin(), batch.x.end());
    for (Real& x : seen) {
      if (dropout_ && step != nullptr && step->stream.bernoulli(0.5)) x = 0;
    }
    for (std::size_t i = 0; i < batch.rows; ++i) {
      const double weight = (batch.weights.empty() ? 1 : batch.weights[i]) / static_cast<double>(batch.rows);
      double gap = static_cast<double>(w[d] + w[d + 1]) - batch.y[i];
      for (std::size_t j = 0; j < d; ++j) gap += static_cast<double>(w[j] * seen[i * d + j]);
      for (std::size_t j = 0; j < d; ++j) out[j] += static_cast<Real>(weight * gap) * seen[i * d + j];
      out[d] += static_cast<Real>(weight * gap);
      value += weight * 0.5 * gap * gap;
    }
    if (step != nullptr && !step->buffers.empty() && batch.rows > 0) {
      Real mean = 0;
      for (std::size_t i = 0; i < batch.rows; ++i) mean += batch.x[i * d] / static_cast<Real>(batch.rows);
      step->buffers[0] = (step->buffers[0] + mean) / 2;
    }
    return value;
  }
  template <class Real>
  void predict_as(std::span<const Real> w, const Batch<Real>& batch, std::span<double> out) const {
    std::vector<Real> sums(batch.rows);
    this->head_outputs(w, batch.x, std::span<Real>(sums));
    for (std::size_t i = 0; i < batch.rows; ++i) out[i] = static_cast<double>(sums[i] + w.back());
  }
  template <class Real>
  void features_as(std::span<const Real>, const Batch<Real>& batch, std::span<Real> out) const {
    std::copy(batch.x.begin(), batch.x.end(), out.begin());
  }

 protected:
  std::vector<Layer> build(const Shape& shape, std::uint64_t) override {
    return {{.name = "weight", .shape = {1, shape.width}},
            {.name = "bias", .offset = shape.width, .shape = {1}},
            {.name = "running_mean", .offset = shape.width + 1, .shape = {1}, .buffer = true}};
  }

 private:
  bool dropout_;
};

}  // namespace coterie
