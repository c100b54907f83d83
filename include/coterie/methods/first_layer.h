// A first layer that is linear in its inputs: parameters 0 .. size()-1 are its weights W, inputs x outputs,
// row-major, and the rest of the model (the tail, biases included) sees a row only as its sums  z = row W.
// Where a model has such a layer (Model::first_layer), evaluations and local steps can be done on z, which is
// most of the engine's speed. A tail is told nothing of a training step: a model whose gradient needs its
// StepContext has no first layer.
#pragma once

#include <cstddef>
#include <span>

#include "coterie/data.h"

namespace coterie {

template <class Real>
class TailKernels {
 public:
  virtual ~TailKernels() = default;
  // rows x inputs: the batch's own rows, or memory that the next call on this thread overwrites.
  virtual const Real* first_inputs(const Batch<Real>& batch) const = 0;
  // The loss of each row, given its sums (rows x outputs), which are overwritten.
  virtual void tail_losses(std::span<const Real> tail, std::span<Real> sums, std::span<const double> y,
                           std::span<double> out) const = 0;
  // What predict() gives for each row. Overwrites the sums.
  virtual void tail_outputs(std::span<const Real> tail, std::span<Real> sums,
                            std::span<double> out) const = 0;
  // Returns  S = sum_j weight_j loss_j  and sets `gradient` to that of  share S  by the tail's parameters,
  // without the L2 term; the sums become its slopes. `weights` may be empty.
  virtual double tail_gradient(std::span<const Real> tail, std::span<Real> sums, std::span<const double> y,
                               std::span<const double> weights, double share,
                               std::span<Real> gradient) const = 0;
  // The loss of each row, |d loss / d scores|, and the norm of the input of the last layer (0 where that is
  // the model's own input). Overwrites the sums.
  virtual void tail_norms(std::span<const Real> tail, std::span<Real> sums, std::span<const double> y,
                          std::span<double> losses, std::span<double> slopes,
                          std::span<double> features) const = 0;
};

class FirstLayer : public TailKernels<float>, public TailKernels<double> {
 public:
  std::size_t inputs() const { return inputs_; }
  std::size_t outputs() const { return outputs_; }
  std::size_t size() const { return inputs_ * outputs_; }
  // A flat vector without the first layer.
  template <class Span>
  Span tail(Span w) const {
    return w.subspan(size());
  }

  using TailKernels<float>::first_inputs, TailKernels<double>::first_inputs;
  using TailKernels<float>::tail_losses, TailKernels<double>::tail_losses;
  using TailKernels<float>::tail_outputs, TailKernels<double>::tail_outputs;
  using TailKernels<float>::tail_gradient, TailKernels<double>::tail_gradient;
  using TailKernels<float>::tail_norms, TailKernels<double>::tail_norms;

 protected:
  void set_sizes(std::size_t inputs, std::size_t outputs) {
    inputs_ = inputs;
    outputs_ = outputs;
  }

 private:
  std::size_t inputs_ = 0;
  std::size_t outputs_ = 0;
};

// The tail of one precision, from templates of the model that are written once:
//   inputs_of(batch)                                        first_inputs()
//   losses_of(tail, sums, y, out)                           tail_losses()
//   outputs_of(tail, sums, out)                             tail_outputs()
//   gradient_of(tail, sums, y, weights, share, gradient)    tail_gradient()
//   norms_of(tail, sums, y, losses, slopes, features)       tail_norms()
template <class Written, class Real, class Base>
class TailOf : public Base {
 public:
  using Base::first_inputs, Base::tail_gradient, Base::tail_losses, Base::tail_norms, Base::tail_outputs;

  const Real* first_inputs(const Batch<Real>& batch) const final { return this->model().inputs_of(batch); }
  void tail_losses(std::span<const Real> tail, std::span<Real> sums, std::span<const double> y,
                   std::span<double> out) const final {
    this->model().losses_of(tail, sums, y, out);
  }
  void tail_outputs(std::span<const Real> tail, std::span<Real> sums, std::span<double> out) const final {
    this->model().outputs_of(tail, sums, out);
  }
  double tail_gradient(std::span<const Real> tail, std::span<Real> sums, std::span<const double> y,
                       std::span<const double> weights, double share, std::span<Real> gradient) const final {
    return this->model().gradient_of(tail, sums, y, weights, share, gradient);
  }
  void tail_norms(std::span<const Real> tail, std::span<Real> sums, std::span<const double> y,
                  std::span<double> losses, std::span<double> slopes,
                  std::span<double> features) const final {
    this->model().norms_of(tail, sums, y, losses, slopes, features);
  }
};

// A first layer that belongs to a model and lives as long.
template <class Written>
class BoundFirstLayer : public FirstLayer {
 public:
  BoundFirstLayer() = default;
  BoundFirstLayer(const BoundFirstLayer&) = delete;
  BoundFirstLayer& operator=(const BoundFirstLayer&) = delete;
  void bind(const Written& model, std::size_t inputs, std::size_t outputs) {
    model_ = &model;
    set_sizes(inputs, outputs);
  }

 protected:
  const Written& model() const { return *model_; }

 private:
  const Written* model_ = nullptr;
};
template <class Written>
using FirstLayerOf = TailOf<Written, float, TailOf<Written, double, BoundFirstLayer<Written>>>;

}  // namespace coterie
