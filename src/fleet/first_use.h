// What many clients use of a shared model's first layer, made once for all of them.
#pragma once

#include "base/largest.h"
#include "coterie/client.h"
#include "coterie/methods/first_layer.h"
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
    const FirstLayer& first = *model.first_layer();
    const std::span<const Real> weights = w.as<Real>().first(first.size());
    return FirstUse<Real>{Packed<Real>({weights.data(), first.inputs(), first.outputs()}),
                          largest_of<Real>(weights)};
  });
}

// The products that give so many rows' sums under the first layers of models, one after the other: for
// multiply_each(). The layers have several outputs.
template <class Real>
std::vector<PackedProduct<Real>> first_products(const Model& model, std::span<const Shared> models,
                                                std::size_t rows, std::span<Real> sums) {
  const std::size_t outputs = model.first_layer()->outputs();
  std::vector<PackedProduct<Real>> products;
  for (std::size_t k = 0; k < models.size(); ++k) {
    products.push_back({&first_use<Real>(model, models[k]).packed,
                        Matrix<Real>(sums.data() + k * rows * outputs, rows, outputs)});
  }
  return products;
}

}  // namespace coterie
