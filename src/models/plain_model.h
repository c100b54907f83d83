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
class PlainModel : public ModelOf<Derived> {
 public:
  template <class Real>
  void losses_as(std::span<const Real> w, const Batch<Real>& batch, std::span<double> out) const {
    for (std::size_t j = 0; j < batch.rows; ++j) out[j] = derived().loss_of(w, row(batch, j), 0, {});
  }
  template <class Real>
  double gradient_as(std::span<const Real> w, const Batch<Real>& batch, std::span<Real> gradient) const {
    Vec slope(w.size(), 0.0);
    double value = 0;
    for (std::size_t j = 0; j < batch.rows; ++j) {
      const double weight = batch.weights.empty() ? 1 : batch.weights[j];
      if (weight != 0) value += weight * derived().loss_of(w, row(batch, j), weight, std::span(slope));
    }
    const double share = batch.rows > 0 ? 1 / static_cast<double>(batch.rows) : 0;
    for (std::size_t k = 0; k < slope.size(); ++k) gradient[k] = static_cast<Real>(share * slope[k]);
    return share * value;
  }

 private:
  const Derived& derived() const { return static_cast<const Derived&>(*this); }
  template <class Real>
  static std::span<const Real> row(const Batch<Real>& batch, std::size_t j) {
    return batch.x.subspan(j * batch.width, batch.width);
  }
};

}  // namespace coterie
