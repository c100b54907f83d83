#include "coterie/methods/gradients.h"

#include <algorithm>

#include "coterie/methods/with_real.h"
#include "data/first_rows.h"
#include "data/penalty.h"
#include "fleet/first_use.h"
#include "math/gemm.h"
#include "math/gemv.h"
#include "math/kernels.h"
#include "math/scratch.h"

namespace coterie {
namespace {

// The gradients, once the L2 term is added to each.
template <class Real>
std::vector<Numbers> with_l2(const Model& model, std::span<const Shared> models,
                             std::vector<Room<Real>> gradients) {
  std::vector<Numbers> all;
  for (std::size_t k = 0; k < models.size(); ++k) {
    add_penalty_slopes(model, models[k].as<Real>(), std::span<Real>(gradients[k]));
    all.emplace_back(std::move(gradients[k]));
  }
  return all;
}

// Models with one score a row: their sums are rows x models, and so is one product with the rows again.
template <class Real>
std::vector<Numbers> at_once(ClientView& view, std::span<const Shared> models) {
  const Model& model = view.model();
  const FirstLayer& first = *model.first_layer();
  const Batch<Real> data = view.batch<Real>(Part::train);
  const Matrix<const Real> rows(first.first_inputs(data), data.rows, first.inputs());
  std::vector<const Real*> weights;
  for (const Shared& one : models) weights.push_back(one.as<Real>().data());
  const std::span<Real> slopes = scratch<Real, struct AllSlopes>(models.size() * data.rows);
  dots(rows, weights, slopes.data());

  std::vector<Room<Real>> gradients;
  const double share = 1 / static_cast<double>(data.rows);
  for (std::size_t k = 0; k < models.size(); ++k) {
    Room<Real> gradient(models[k].size());
    first.tail_gradient(first.tail(models[k].as<Real>()), slopes.subspan(k * data.rows, data.rows), data.y,
                        data.weights, share, first.tail(std::span(gradient)));
    gradients.push_back(std::move(gradient));
  }
  const std::span<Real> products = scratch<Real, struct AllProducts>(models.size() * first.inputs());
  multiply(Matrix<const Real>(slopes.data(), models.size(), data.rows), rows,
           Matrix<Real>(products.data(), models.size(), first.inputs()));
  for (std::size_t k = 0; k < models.size(); ++k) {
    std::copy_n(products.data() + k * first.inputs(), first.inputs(), gradients[k].data());
  }
  return with_l2(model, models, std::move(gradients));
}

// Models whose first layer has several outputs: one pass over the rows gives the sums under all of them, and
// a second one the gradients of all their first layers. Between the two, one tail works after the other.
template <class Real>
std::vector<Numbers> stacked(ClientView& view, std::span<const Shared> models) {
  const Model& model = view.model();
  const FirstLayer& first = *model.first_layer();
  const Batch<Real> data = view.batch<Real>(Part::train);
  const Matrix<const Real> rows = first_rows(first, data);
  const std::size_t sums = data.rows * first.outputs();
  const std::span<Real> slopes = scratch<Real, struct StackedSlopes>(models.size() * sums);
  std::vector<PackedProduct<Real>> products = first_products<Real>(model, models, data.rows, slopes);
  multiply_each(rows, products);

  std::vector<Room<Real>> gradients;
  std::vector<Packed<Real>> packed;
  const double share = 1 / static_cast<double>(data.rows);
  for (std::size_t k = 0; k < models.size(); ++k) {
    gradients.emplace_back(models[k].size());
    first.tail_gradient(first.tail(models[k].as<Real>()), slopes.subspan(k * sums, sums), data.y,
                        data.weights, share, first.tail(std::span(gradients[k])));
    packed.emplace_back(products[k].c, rows.background);
  }
  for (std::size_t k = 0; k < models.size(); ++k) {
    products[k] = {&packed[k], Matrix<Real>(gradients[k].data(), first.inputs(), first.outputs())};
  }
  multiply_each(rows.transposed(), products);
  return with_l2(model, models, std::move(gradients));
}

template <class Real>
std::vector<Numbers> in_one_pass(ClientView& view, std::span<const Shared> models) {
  return view.model().first_layer()->outputs() == 1 ? at_once<Real>(view, models)
                                                    : stacked<Real>(view, models);
}

}  // namespace

std::vector<Numbers> gradients_at(ClientView& view, std::span<const Shared> models) {
  for (const Shared& one : models) view.expect_model(one);
  if (view.model().first_layer() != nullptr && view.count(Part::train) > 0 && models.size() > 1) {
    return with_real(view.precision(), [&](auto real) { return in_one_pass<decltype(real)>(view, models); });
  }
  std::vector<Numbers> all;
  for (const Shared& one : models) all.push_back(view.gradient(one));
  return all;
}

}  // namespace coterie
