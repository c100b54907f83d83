// Models whose samples are their own losses, worked out row by row: there is no layer to evaluate many rows
// or many clients at once, and nothing to predict.
#pragma once

#include <algorithm>
#include <span>

#include "coterie/error.h"
#include "coterie/model.h"

namespace coterie {

// Derived supplies, for either Real,
//   loss_of(w, row, weight, slope)   the loss of a row; adds weight times its gradient to `slope`,
//                                    unless that is empty
template <class Derived>
class PlainModel : public Model {
 public:
  std::size_t outputs() const override { return 1; }
  std::size_t head() const override { return 0; }
  double l2() const override { return 0; }
  FirstLayer first_layer() const override { return {}; }

  void losses(std::span<const float> w, const Batch<float>& b, std::span<double> out) const override {
    losses_as(w, b, out);
  }
  void losses(std::span<const double> w, const Batch<double>& b, std::span<double> out) const override {
    losses_as(w, b, out);
  }
  double gradient(std::span<const float> w, const Batch<float>& b, std::span<float> g) const override {
    return gradient_as(w, b, g);
  }
  double gradient(std::span<const double> w, const Batch<double>& b, std::span<double> g) const override {
    return gradient_as(w, b, g);
  }

  // There is no first layer, so nobody asks for these.
  const float* first_inputs(const Batch<float>&) const override { return nullptr; }
  const double* first_inputs(const Batch<double>&) const override { return nullptr; }
  void tail_losses(std::span<const float>, std::span<float>, std::span<const double>,
                   std::span<double>) const override {
    check(false, kNoLayer);
  }
  void tail_losses(std::span<const double>, std::span<double>, std::span<const double>,
                   std::span<double>) const override {
    check(false, kNoLayer);
  }
  void tail_outputs(std::span<const float>, std::span<float>, std::span<double>) const override {
    check(false, kNoLayer);
  }
  void tail_outputs(std::span<const double>, std::span<double>, std::span<double>) const override {
    check(false, kNoLayer);
  }
  double tail_gradient(std::span<const float>, std::span<float>, std::span<const double>,
                       std::span<const double>, double, std::span<float>) const override {
    check(false, kNoLayer);
    return 0;
  }
  double tail_gradient(std::span<const double>, std::span<double>, std::span<const double>,
                       std::span<const double>, double, std::span<double>) const override {
    check(false, kNoLayer);
    return 0;
  }
  void tail_norms(std::span<const float>, std::span<float>, std::span<const double>, std::span<double>,
                  std::span<double>, std::span<double>) const override {
    check(false, kNoLayer);
  }
  void tail_norms(std::span<const double>, std::span<double>, std::span<const double>, std::span<double>,
                  std::span<double>, std::span<double>) const override {
    check(false, kNoLayer);
  }

 protected:
  std::size_t width_ = 0;  // of a sample; set by bind

 private:
  static constexpr const char* kNoLayer = "this model has no first layer";

  const Derived& derived() const { return static_cast<const Derived&>(*this); }
  template <class Real>
  std::span<const Real> row(const Batch<Real>& batch, std::size_t j) const {
    return batch.x.subspan(j * width_, width_);
  }
  template <class Real>
  void check_call(std::span<const Real> w, const Batch<Real>& batch) const {
    check(width_ > 0, "a model that is not bound");
    check(w.size() == size(), "parameters of another model");
    check(batch.width == width_ && batch.x.size() == batch.rows * width_ && batch.y.size() == batch.rows,
          "a batch of another shape");
    check(batch.weights.empty() || batch.weights.size() == batch.rows, "row weights that do not fit");
  }
  template <class Real>
  void losses_as(std::span<const Real> w, const Batch<Real>& batch, std::span<double> out) const {
    check_call(w, batch);
    check(out.size() == batch.rows, "losses need a place for every row");
    for (std::size_t j = 0; j < batch.rows; ++j) out[j] = derived().loss_of(w, row(batch, j), 0, {});
  }
  template <class Real>
  double gradient_as(std::span<const Real> w, const Batch<Real>& batch, std::span<Real> gradient) const {
    check_call(w, batch);
    check(gradient.size() == size(), "a gradient needs a place to go");
    Vec slope(size(), 0.0);
    double value = 0;
    for (std::size_t j = 0; j < batch.rows; ++j) {
      const double weight = batch.weights.empty() ? 1 : batch.weights[j];
      if (weight != 0) value += weight * derived().loss_of(w, row(batch, j), weight, std::span(slope));
    }
    const double share = batch.rows > 0 ? 1 / static_cast<double>(batch.rows) : 0;
    for (std::size_t k = 0; k < slope.size(); ++k) gradient[k] = static_cast<Real>(share * slope[k]);
    return share * value;
  }
};

}  // namespace coterie
