// The L2 term  l2/2 |w|^2  over the layers that a model penalises: the one place that knows which they are.
#pragma once

#include <algorithm>
#include <span>

#include "coterie/model.h"
#include "math/kernels.h"

namespace coterie {

template <class Real>
double penalty(const Model& model, std::span<const Real> w) {
  if (model.l2() == 0) return 0;
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

// The term's strength for each parameter.
inline Vec penalty_strengths(const Model& model) {
  Vec all(model.size(), 0.0);
  for (const Model::Range& part : model.penalised()) {
    std::fill_n(all.begin() + static_cast<std::ptrdiff_t>(part.offset), part.size, model.l2());
  }
  return all;
}

// Whether the term is over the first `count` parameters, at least; true where there is none.
inline bool penalises_first(const Model& model, std::size_t count) {
  if (model.l2() == 0) return true;
  return !model.penalised().empty() && model.penalised()[0].offset == 0 && model.penalised()[0].size >= count;
}
// Whether it is over all parameters that are stepped.
inline bool penalises_all(const Model& model) { return penalises_first(model, model.trainable()); }

}  // namespace coterie
