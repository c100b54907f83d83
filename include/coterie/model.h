// A model is an architecture without state: it maps (flat parameters, batch) to losses, gradients, features
// and predictions. Everything else in the engine knows nothing but vectors.
//
// To write one, derive from ModelOf (below), which asks for `build`, `init` and four kernels; `options` and
// the other virtual functions are for those who need them.
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

// A named block of the flat vector.
struct Layer {
  std::string name;  // in configs and messages: "layer1.weight"
  std::size_t offset = 0;
  // As PyTorch has it, outputs first: {outputs, inputs} for the weights of a dense layer, {outputs} for
  // biases, four numbers for a convolution.
  std::vector<std::size_t> shape;
  bool inputs_first = false;  // these weights lie in the vector as inputs x outputs, row-major
  bool buffer = false;   // averaged but never stepped (batch-norm statistics); buffers are the last layers
  std::string key = {};  // in files, as in a state_dict: "0.weight"; empty: the name

  std::size_t size() const;
  bool is_matrix() const { return shape.size() > 1; }
  std::size_t outputs() const { return is_matrix() ? shape[0] : 1; }  // a single vector gives one number
  std::size_t inputs() const { return size() / outputs(); }
  // The place in the flat vector of an output's weight for an input.
  std::size_t place(std::size_t output, std::size_t input) const {
    return offset + (inputs_first ? input * outputs() + output : output * inputs() + input);
  }
};

// What a model's loss is of its last layer's scores z: factor (z - y)^2; log(1 + exp(-+z)); -log
// softmax_y(z).
enum class LossKind { other, squared, logistic, cross_entropy };

// What a step of training gives the gradient beyond parameters and rows.
template <class Real>
struct StepContext {
  Stream& stream;           // the client's own: dropout and augmentation draw from it, so that they repeat
  std::span<Real> buffers;  // the vector's end, to be written; empty where nobody keeps it
};

// The arithmetic, once for each precision. Const and thread-safe; results depend on the arguments alone (not
// on addresses or alignment).
template <class Real>
class Kernels {
 public:
  virtual ~Kernels() = default;
  // The loss of each row, without the L2 term; row weights are ignored.
  virtual void losses(std::span<const Real> w, const Batch<Real>& batch, std::span<double> out) const = 0;
  // Sets `gradient` to that of  (1/rows) sum_j weight_j loss_j  +  the L2 term  and returns that value.
  // Divided by the number of rows, not by the sum of the weights; 0 for buffers. Without a step it is the
  // objective's own: nothing is random and buffers stay.
  virtual double gradient(std::span<const Real> w, const Batch<Real>& batch, std::span<Real> gradient,
                          StepContext<Real>* step) const = 0;
  double gradient(std::span<const Real> w, const Batch<Real>& batch, std::span<Real> out) const {
    return gradient(w, batch, out, nullptr);
  }
  // rows x outputs(): class probabilities, or the predicted value.
  virtual void predict(std::span<const Real> w, const Batch<Real>& batch, std::span<double> out) const = 0;
  // rows x feature_width(): the input of the last layer; the input itself for linear models.
  virtual void features(std::span<const Real> w, const Batch<Real>& batch, std::span<Real> out) const = 0;
  // rows x scores(): what the last layer makes of features.
  virtual void head_outputs(std::span<const Real> w, std::span<const Real> features,
                            std::span<Real> out) const = 0;
};

class FirstLayer;  // coterie/methods/first_layer.h
class Extractor;   // coterie/methods/extractor.h

class Model : public Kernels<float>, public Kernels<double> {
 public:
  virtual void options(Options&) {}
  // Fits the architecture to the samples; throws Error when it cannot (a regression model on classes). Called
  // once, before anything below. `seed` fixes random features.
  void bind(const Shape& shape, std::uint64_t seed) { take(shape, build(shape, seed)); }
  virtual void init(Vec& parameters, Stream& stream) const = 0;

  const Shape& shape() const { return shape_; }                 // of the samples
  const std::vector<Layer>& layers() const { return layers_; }  // in order, covering 0 .. size()-1
  std::size_t size() const { return size_; }                    // parameters
  // Parameters that are stepped, decayed, clipped, pulled and clustered by: all but the buffers.
  std::size_t trainable() const { return trainable_; }
  std::size_t outputs() const { return shape_.classes > 1 ? shape_.classes : 1; }  // predicted for a row
  // First parameter of the head (the last layer with a matrix); those before are the extractor. 0 for linear
  // models.
  std::size_t head() const { return layers_[head_].offset; }
  std::size_t feature_width() const { return layers_[head_].inputs(); }
  std::size_t scores() const { return layers_[head_].outputs(); }  // numbers that the head gives for a row
  std::size_t depth() const { return depth_; }                     // layers with a matrix; at least 1

  // --- what a model may say of itself ---------------------------------------------------------------------
  // The way to the engine's fast paths, for models that have one.
  virtual const FirstLayer* first_layer() const { return nullptr; }
  // For models without one: the way to train several heads on one pass through the extractor.
  virtual const Extractor* extractor() const { return nullptr; }
  virtual double l2() const { return 0; }  // strength of the L2 term,  l2/2 |w|^2  over penalised layers
  virtual bool penalises(const Layer&) const { return true; }
  // Other than `other` promises that the scores are linear in the head, and with depth() 1 in all parameters.
  virtual LossKind loss_kind() const { return LossKind::other; }
  // Regression: the loss of a row is this times its squared error.
  virtual double loss_factor() const { return 1; }
  // Floating-point operations of one pass over a row: forward alone, and forward plus backward.
  virtual double forward_flops() const { return 2 * static_cast<double>(trainable_); }
  virtual double gradient_flops() const { return 6 * static_cast<double>(trainable_); }

  // The ranges of the vector that the L2 term holds for; neighbours are one.
  struct Range {
    std::size_t offset;
    std::size_t size;
  };
  std::span<const Range> penalised() const { return penalised_; }

  using Kernels<float>::features, Kernels<float>::gradient, Kernels<float>::losses, Kernels<float>::predict;
  using Kernels<double>::features, Kernels<double>::gradient, Kernels<double>::losses,
      Kernels<double>::predict;
  // For heads that are one dense layer; others write their own.
  void head_outputs(std::span<const float> w, std::span<const float> features,
                    std::span<float> out) const override;
  void head_outputs(std::span<const double> w, std::span<const double> features,
                    std::span<double> out) const override;

 protected:
  // Fits the architecture to the samples and says its layers.
  virtual std::vector<Layer> build(const Shape& shape, std::uint64_t seed) = 0;
  void take(const Shape& shape, std::vector<Layer> layers);
  // Throws Bug when a call's arguments do not fit this model or each other.
  template <class Real>
  void check_call(std::span<const Real> w, const Batch<Real>& batch, bool targets) const;
  static void check_place(std::size_t given, std::size_t needed);

 private:
  Shape shape_;
  std::vector<Layer> layers_;
  std::vector<Range> penalised_;
  std::size_t size_ = 0, trainable_ = 0, head_ = 0, depth_ = 1;
};

// The kernels of one precision, from templates that are written once.
template <class Derived, class Real, class Base>
class KernelsOf : public Base {
 public:
  using Base::features, Base::gradient, Base::losses, Base::predict;

  void losses(std::span<const Real> w, const Batch<Real>& batch, std::span<double> out) const final {
    this->check_call(w, batch, true);
    this->check_place(out.size(), batch.rows);
    derived().losses_as(w, batch, out);
  }
  double gradient(std::span<const Real> w, const Batch<Real>& batch, std::span<Real> out,
                  StepContext<Real>* step) const final {
    this->check_call(w, batch, true);
    this->check_place(out.size(), this->size());
    if constexpr (requires { derived().gradient_as(w, batch, out, step); }) {
      return derived().gradient_as(w, batch, out, step);
    } else {
      return derived().gradient_as(w, batch, out);
    }
  }
  void predict(std::span<const Real> w, const Batch<Real>& batch, std::span<double> out) const final {
    this->check_call(w, batch, false);
    this->check_place(out.size(), batch.rows * this->outputs());
    derived().predict_as(w, batch, out);
  }
  void features(std::span<const Real> w, const Batch<Real>& batch, std::span<Real> out) const final {
    this->check_call(w, batch, false);
    this->check_place(out.size(), batch.rows * this->feature_width());
    derived().features_as(w, batch, out);
  }

 private:
  const Derived& derived() const { return static_cast<const Derived&>(*this); }
};

// What a model derives from. It supplies `build`, `init` and, with arguments that are known to fit,
//   template <class Real>
//   void losses_as(std::span<const Real> w, const Batch<Real>& batch, std::span<double> out) const;
// and likewise gradient_as (with or without the step), predict_as and features_as.
template <class Derived>
using ModelOf = KernelsOf<Derived, float, KernelsOf<Derived, double, Model>>;

// Biases at the end of the parameters that are stepped, which generators of data know nothing of.
std::size_t trailing_intercepts(const Model& model);

}  // namespace coterie
