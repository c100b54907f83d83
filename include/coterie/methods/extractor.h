// An extractor that can be run apart from the head, forward and backward: what methods need that train
// several heads on one extractor (Model::extractor). Without it they train whole models, one for each head.
#pragma once

#include <functional>
#include <span>

#include "coterie/model.h"

namespace coterie {

template <class Real>
class ExtractorKernels {
 public:
  virtual ~ExtractorKernels() = default;
  // Is given the features (rows x feature_width) and sets the slopes of an objective by them.
  using UseFeatures = std::function<void(std::span<const Real> features, std::span<Real> slopes)>;
  // One pass through the extractor, whose parameters `w` begins with (all of w where there are buffers). Sets
  // `gradient` to that of the objective by them, buffers left alone; where it is empty there is no way back.
  virtual void through(std::span<const Real> w, const Batch<Real>& batch, StepContext<Real>* step,
                       const UseFeatures& use, std::span<Real> gradient) const = 0;
  // The loss of each row of features under a head.
  virtual void head_losses(std::span<const Real> head, std::span<const Real> features,
                           std::span<const double> y, std::span<double> out) const = 0;
  // Returns  S = sum_j weight_j loss_j  under a head, sets `gradient` to that of  share S  by the head, and
  // adds that by the features to `slopes`. `weights` may be empty.
  virtual double head_gradient(std::span<const Real> head, std::span<const Real> features,
                               std::span<const double> y, std::span<const double> weights, double share,
                               std::span<Real> gradient, std::span<Real> slopes) const = 0;
};

class Extractor : public ExtractorKernels<float>, public ExtractorKernels<double> {
 public:
  using ExtractorKernels<float>::through, ExtractorKernels<double>::through;
  using ExtractorKernels<float>::head_losses, ExtractorKernels<double>::head_losses;
  using ExtractorKernels<float>::head_gradient, ExtractorKernels<double>::head_gradient;
};

// The kernels of one precision, from templates that are written once: through_as, head_losses_as,
// head_gradient_as.
template <class Written, class Real, class Base>
class ExtractorKernelsOf : public Base {
 public:
  using Base::head_gradient, Base::head_losses, Base::through;

  void through(std::span<const Real> w, const Batch<Real>& batch, StepContext<Real>* step,
               const typename ExtractorKernels<Real>::UseFeatures& use,
               std::span<Real> gradient) const final {
    written().through_as(w, batch, step, use, gradient);
  }
  void head_losses(std::span<const Real> head, std::span<const Real> features, std::span<const double> y,
                   std::span<double> out) const final {
    written().head_losses_as(head, features, y, out);
  }
  double head_gradient(std::span<const Real> head, std::span<const Real> features, std::span<const double> y,
                       std::span<const double> weights, double share, std::span<Real> gradient,
                       std::span<Real> slopes) const final {
    return written().head_gradient_as(head, features, y, weights, share, gradient, slopes);
  }

 private:
  const Written& written() const { return static_cast<const Written&>(*this); }
};
template <class Written>
using ExtractorOf = ExtractorKernelsOf<Written, float, ExtractorKernelsOf<Written, double, Extractor>>;

}  // namespace coterie
