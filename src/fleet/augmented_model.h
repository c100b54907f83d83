// A model that sees images as [augment] says: one around another. A step of training brings the client's
// stream, from which windows and mirrors are drawn; without a step the rows are as they are judged. So
// choosing among models, losses and predictions are certain.
//
// It has no fast path: what the first layer sees differs from step to step.
#pragma once

#include <memory>

#include "coterie/model.h"
#include "data/augment.h"

namespace coterie {

class AugmentedModel : public ModelOf<AugmentedModel> {
 public:
  AugmentedModel(std::unique_ptr<Model> inner, AugmentOptions options)
      : inner_(std::move(inner)), options_(std::move(options)) {}

  void options(Options& o) override { inner_->options(o); }
  void init(Vec& parameters, Stream& stream) const override { inner_->init(parameters, stream); }
  double l2() const override { return inner_->l2(); }
  bool penalises(const Layer& layer) const override { return inner_->penalises(layer); }
  // Of a model without an extractor, minimisers would take the rows as they are for what it is linear in.
  LossKind loss_kind() const override { return depth() == 1 ? LossKind::other : inner_->loss_kind(); }
  double loss_factor() const override { return inner_->loss_factor(); }
  double forward_flops() const override { return inner_->forward_flops(); }
  double gradient_flops() const override { return inner_->gradient_flops(); }
  void head_outputs(std::span<const float> w, std::span<const float> features,
                    std::span<float> out) const override {
    inner_->head_outputs(w, features, out);
  }
  void head_outputs(std::span<const double> w, std::span<const double> features,
                    std::span<double> out) const override {
    inner_->head_outputs(w, features, out);
  }

  template <class Real>
  void losses_as(std::span<const Real> w, const Batch<Real>& batch, std::span<double> out) const {
    inner_->losses(w, AugmentedRows<Real>(options_, shape(), batch, nullptr).batch(), out);
  }
  template <class Real>
  double gradient_as(std::span<const Real> w, const Batch<Real>& batch, std::span<Real> out,
                     StepContext<Real>* step) const {
    const AugmentedRows<Real> rows(options_, shape(), batch, step != nullptr ? &step->stream : nullptr);
    return inner_->gradient(w, rows.batch(), out, step);
  }
  template <class Real>
  void predict_as(std::span<const Real> w, const Batch<Real>& batch, std::span<double> out) const {
    inner_->predict(w, AugmentedRows<Real>(options_, shape(), batch, nullptr).batch(), out);
  }
  template <class Real>
  void features_as(std::span<const Real> w, const Batch<Real>& batch, std::span<Real> out) const {
    inner_->features(w, AugmentedRows<Real>(options_, shape(), batch, nullptr).batch(), out);
  }

 protected:
  std::vector<Layer> build(const Shape& shape, std::uint64_t seed) override {
    inner_->bind(options_.seen(shape), seed);
    return inner_->layers();
  }

 private:
  std::unique_ptr<Model> inner_;
  AugmentOptions options_;
};

}  // namespace coterie
