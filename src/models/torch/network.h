// A model whose extractor is a chain of blocks and whose head is one dense layer.
//
// Head and losses are computed by our own products. Without a step a gradient is that of the objective as it
// is judged: nothing is dropped, and batch-norm uses its statistics.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "coterie/methods/extractor.h"
#include "models/torch/block.h"
#include "models/torch/objective.h"
#include "models/torch/pretrained.h"

namespace coterie::torch_models {

class Network : public ModelOf<Network>, public ExtractorOf<Network> {
 public:
  const Extractor* extractor() const override { return this; }
  void options(Options& o) override {
    pretrained_.options(o);
    objective_.options(o);
  }
  void init(Vec& parameters, Stream& stream) const override;
  double l2() const override { return objective_.l2(); }
  bool penalises(const Layer& layer) const override { return objective_.penalises(layer); }
  LossKind loss_kind() const override { return objective_.kind(shape()); }
  double loss_factor() const override { return Objective::factor(); }
  double forward_flops() const override { return flops_; }
  double gradient_flops() const override { return 3 * flops_; }

  template <class Real>
  void losses_as(std::span<const Real> w, const Batch<Real>& batch, std::span<double> out) const;
  template <class Real>
  double gradient_as(std::span<const Real> w, const Batch<Real>& batch, std::span<Real> out,
                     StepContext<Real>* step) const;
  template <class Real>
  void predict_as(std::span<const Real> w, const Batch<Real>& batch, std::span<double> out) const;
  template <class Real>
  void features_as(std::span<const Real> w, const Batch<Real>& batch, std::span<Real> out) const;
  template <class Real>
  void through_as(std::span<const Real> w, const Batch<Real>& batch, StepContext<Real>* step,
                  const typename ExtractorKernels<Real>::UseFeatures& use, std::span<Real> gradient) const;
  template <class Real>
  void head_losses_as(std::span<const Real> head, std::span<const Real> features, std::span<const double> y,
                      std::span<double> out) const;
  template <class Real>
  double head_gradient_as(std::span<const Real> head, std::span<const Real> features,
                          std::span<const double> y, std::span<const double> weights, double share,
                          std::span<Real> gradient, std::span<Real> slopes) const;

 protected:
  // `name` is the model's, for messages.
  explicit Network(std::string name, Objective objective = {})
      : name_(std::move(name)), objective_(std::move(objective)) {}

  struct Plan {
    Blocks extractor;
    std::string head;  // its key, as PyTorch has it: "fc"
    Starts head_starts;
  };
  virtual Plan plan(const Form& sample) const = 0;

  std::vector<Layer> build(const Shape& shape, std::uint64_t seed) final;

 private:
  // Without the head's layers.
  template <class Real>
  Pass pass_over(std::span<const Real> w) const;
  bool in_head(const Layer& layer) const { return !layer.buffer && layer.offset >= head(); }
  // Scores of features under a head, in memory that the next call on this thread overwrites.
  template <class Real>
  std::span<Real> scores_under(std::span<const Real> head, std::span<const Real> features) const;
  template <class Real>
  at::Tensor extract(const Batch<Real>& batch, Pass& pass) const;
  template <class Real, class Work>
  void scores_of_blocks(std::span<const Real> w, const Batch<Real>& batch, const Work& work) const;

  std::string name_;
  Objective objective_;
  Pretrained pretrained_;
  Blocks extractor_;
  // In the order in which blocks declare them: what each layer is, how it begins, and its tensor's sizes.
  std::vector<Layer> places_;
  std::vector<Fill> fills_;
  std::vector<std::vector<std::int64_t>> sizes_;
  Form sample_;
  double flops_ = 0;
};

}  // namespace coterie::torch_models
