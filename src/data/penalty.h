// The L2 term  l2/2 |w|^2  over the layers that a model penalises: the one place that knows which they are.
#pragma once

#include <span>

#include "coterie/model.h"
#include "math/kernels.h"

namespace coterie {

template <class Real>
double penalty(const Model& model, std::span<const Real> w) {
  double squares = 0;
  for (const Model::Range& part : model.penalised())
    squares += squared_norm(w.subspan(part.offset, part.size));
  return 0.5 * model.l2() * squares;
}

// Adds the term's gradient, by `sign` 1 or takes it away, by -1.
template <class Real>
void add_penalty_slopes(const Model& model, std::span<const Real> w, std::span<Real> gradient,
                        double sign = 1) {
  if (model.l2() == 0) return;
  for (const Model::Range& part : model.penalised()) {
    add_scaled(static_cast<Real>(sign * model.l2()), w.subspan(part.offset, part.size),
               gradient.subspan(part.offset, part.size));
  }
}

// Whether the term is the same for all parameters, as closed forms and local steps in the dual have it.
inline bool penalises_alike(const Model& model) {
  return model.l2() == 0 || (model.penalised().size() == 1 && model.penalised()[0].size == model.trainable());
}

}  // namespace coterie
