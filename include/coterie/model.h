// A model is an architecture without state: it maps (flat parameters, batch) to losses, gradients, features
// and predictions. Everything else in the engine knows nothing but vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "coterie/data.h"
#include "coterie/options.h"
#include "coterie/random.h"
#include "coterie/registry.h"

namespace coterie {

// A named block of the flat vector, row-major.
struct Layer {
  std::string name;  // "layer1.weight"
  std::size_t offset = 0;
  std::size_t rows = 0;
  std::size_t columns = 0;

  std::size_t size() const { return rows * columns; }
};

// What a model's loss is of its last layer's scores z: factor (z - y)^2; log(1 + exp(-+z)); -log
// softmax_y(z).
enum class LossKind { other, squared, logistic, cross_entropy };

// A first layer that is linear in its inputs: parameters 0 .. inputs * outputs - 1 are its weights W,
// row-major, and the rest of the model (the tail, biases included) sees a row only as its sums  z = row W.
// Where a model has such a layer, evaluations and local steps can be done on z, which is most of the engine's
// speed.
struct FirstLayer {
  std::size_t inputs = 0;  // 0: the model has no such layer
  std::size_t outputs = 0;

  std::size_t size() const { return inputs * outputs; }
};

// The arithmetic, once for each precision. Const and thread-safe; results depend on the arguments alone (not
// on addresses or alignment).
template <class Real>
class Kernels {
 public:
  virtual ~Kernels() = default;
  // The loss of each row, without the L2 term; row weights are ignored.
  virtual void losses(std::span<const Real> w, const Batch<Real>& batch, std::span<double> out) const = 0;
  // Sets `gradient` to that of  (1/rows) sum_j weight_j loss_j  +  l2/2 |w|^2  and returns that value.
  // Divided by the number of rows, not by the sum of the weights.
  virtual double gradient(std::span<const Real> w, const Batch<Real>& batch,
                          std::span<Real> gradient) const = 0;
  // rows x outputs(): class probabilities, or the predicted value.
  virtual void predict(std::span<const Real> w, const Batch<Real>& batch, std::span<double> out) const = 0;
  // rows x feature_width(): the input of the last layer; the input itself for linear models.
  virtual void features(std::span<const Real> w, const Batch<Real>& batch, std::span<Real> out) const = 0;

  // --- the same in two parts, for models with a first layer -----------------------------------------------
  // rows x FirstLayer::inputs: the batch's own rows, or memory that the next call on this thread overwrites.
  virtual const Real* first_inputs(const Batch<Real>& batch) const = 0;
  // The loss of each row, given its sums (rows x FirstLayer::outputs), which are overwritten.
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

class Model : public Kernels<float>, public Kernels<double> {
 public:
  virtual void options(Options& o) = 0;
  // Fits the architecture to the samples; throws Error when it cannot (a regression model on classes). Called
  // once, before anything below. `seed` fixes random features.
  virtual void bind(const Shape& shape, std::uint64_t seed) = 0;

  virtual std::size_t size() const = 0;           // parameters
  virtual std::vector<Layer> layers() const = 0;  // in order, covering 0 .. size()-1
  virtual std::size_t outputs() const = 0;        // numbers predicted for a row
  virtual std::size_t feature_width() const = 0;
  // First parameter of the head (the last layer); those before are the extractor. 0 for linear models.
  virtual std::size_t head() const = 0;
  virtual double l2() const = 0;  // strength of the L2 term
  virtual FirstLayer first_layer() const = 0;
  virtual std::size_t depth() const { return 1; }  // dense layers
  virtual LossKind loss_kind() const { return LossKind::other; }
  // Regression: the loss of a row is this times its squared error.
  virtual double loss_factor() const { return 1; }
  virtual void init(Vec& parameters, Stream& stream) const = 0;
  // Floating-point operations of one pass over a row: forward alone, and forward plus backward.
  virtual double forward_flops() const = 0;
  virtual double gradient_flops() const = 0;

  using Kernels<float>::losses;
  using Kernels<double>::losses;
  using Kernels<float>::gradient;
  using Kernels<double>::gradient;
  using Kernels<float>::predict;
  using Kernels<double>::predict;
  using Kernels<float>::features;
  using Kernels<double>::features;
  using Kernels<float>::first_inputs;
  using Kernels<double>::first_inputs;
  using Kernels<float>::tail_losses;
  using Kernels<double>::tail_losses;
  using Kernels<float>::tail_outputs;
  using Kernels<double>::tail_outputs;
  using Kernels<float>::tail_gradient;
  using Kernels<double>::tail_gradient;
  using Kernels<float>::tail_norms;
  using Kernels<double>::tail_norms;
};

// Biases at the end of the flat vector, which generators of data know nothing of.
inline std::size_t trailing_intercepts(const Model& model) {
  std::vector<Layer> layers = model.layers();
  return layers.back().name.ends_with("bias") ? layers.back().size() : 0;
}

}  // namespace coterie
