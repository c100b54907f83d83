// What many clients use of a shared model's first layer, made once for all of them.
#pragma once

#include "base/largest.h"
#include "coterie/client.h"
#include "math/gemm.h"

namespace coterie {

template <class Real>
struct FirstUse {
  Packed<Real> packed;
  double largest;
};

template <class Real>
const FirstUse<Real>& first_use(const Model& model, const Shared& w) {
  return w.derived<FirstUse<Real>>([&] {
    const FirstLayer first = model.first_layer();
    const std::span<const Real> weights = w.as<Real>().first(first.size());
    return FirstUse<Real>{Packed<Real>({weights.data(), first.inputs, first.outputs}),
                          largest_of<Real>(weights)};
  });
}

}  // namespace coterie
