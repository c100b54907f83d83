// A model is an architecture without state: it maps (flat parameters, batch) to losses, gradients, features
// and predictions. Everything else in the engine knows nothing but vectors.
#pragma once

#include <cstddef>
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
  virtual void init(Vec& parameters, Stream& stream) const = 0;
  // Floating-point operations of one pass over a row: forward alone, and forward plus backward.
  virtual double forward_flops() const = 0;
  virtual double gradient_flops() const = 0;
  // Regression: the loss of a row is this times its squared error.
  virtual double error_factor() const { return 1; }

  using Kernels<float>::losses;
  using Kernels<double>::losses;
  using Kernels<float>::gradient;
  using Kernels<double>::gradient;
  using Kernels<float>::predict;
  using Kernels<double>::predict;
  using Kernels<float>::features;
  using Kernels<double>::features;
};

}  // namespace coterie
