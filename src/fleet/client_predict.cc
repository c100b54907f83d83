// Predictions and losses of a client's rows: what evaluations spend their time on.
#include <algorithm>
#include <cstring>

#include "coterie/client.h"
#include "coterie/error.h"
#include "coterie/methods/with_real.h"
#include "data/first_rows.h"
#include "fleet/first_use.h"
#include "fleet/row_backgrounds.h"
#include "math/gemm.h"
#include "math/scratch.h"

namespace coterie {
namespace {

// Calls work(rows, first row) for some rows of a part at a time, at the precision of Real. Rows that are
// stored otherwise are turned into numbers when they are needed, and still in cache when they are used.
template <class Real, class Work>
void for_pieces(const Samples& samples, std::size_t step, const Work& work) {
  const std::size_t width = samples.shape.width;
  const auto* stored = std::get_if<std::vector<Real>>(&samples.features);
  for (std::size_t begin = 0; begin < samples.size(); begin += step) {
    const std::size_t rows = std::min(step, samples.size() - begin);
    std::span<const Real> x;
    if (stored != nullptr) {
      x = std::span(*stored).subspan(begin * width, rows * width);
    } else {
      const std::span<Real> copy = scratch<Real, struct JudgedRows>(rows * width);
      for (std::size_t i = 0; i < rows; ++i) samples.copy_row(begin + i, copy.subspan(i * width, width));
      x = copy;
    }
    const std::vector<Real> backgrounds = backgrounds_of_rows(x, width);
    work(Batch<Real>{rows, width, x, std::span(samples.targets).subspan(begin, rows), {}, backgrounds},
         begin);
  }
}

// For each model the place, in the order of their first use, of its first layer among those that differ:
// models with a common extractor have one.
template <class Real>
std::vector<std::size_t> first_layers(std::span<const Shared> models, std::size_t size,
                                      std::vector<Shared>& different) {
  std::vector<std::size_t> places;
  for (const Shared& model : models) {
    const auto layer = model.as<Real>().first(size);
    const auto same = std::find_if(different.begin(), different.end(), [&](const Shared& other) {
      return std::memcmp(other.as<Real>().data(), layer.data(), size * sizeof(Real)) == 0;
    });
    places.push_back(static_cast<std::size_t>(same - different.begin()));
    if (same == different.end()) different.push_back(model);
  }
  return places;
}

// The sums of the rows under the first layers of these models, one after the other.
template <class Real>
std::span<const Real> sums_under_all(const Model& model, std::span<const Shared> models,
                                     const Batch<Real>& rows) {
  const FirstLayer& first = *model.first_layer();
  const std::size_t each = rows.rows * first.outputs();
  const std::span<Real> sums = scratch<Real, struct JudgedSums>(models.size() * each);
  const Real* inputs = first.first_inputs(rows);
  if (first.outputs() == 1) {
    for (std::size_t k = 0; k < models.size(); ++k)
      sums_under(model, models[k], rows, inputs, &sums[k * each]);
    return sums;
  }
  multiply_each(first_rows(inputs, first.inputs(), rows),
                first_products<Real>(model, models, rows.rows, sums));
  return sums;
}

template <class Real>
void judge_as(const Model& model, std::span<const Shared> models, const Samples& samples,
              const ClientView::TakePredictions& work) {
  const FirstLayer* first = model.first_layer();
  for (const Shared& one : models) check(one.size() == model.size(), "parameters of another model");
  const bool alone = models.size() == 1;
  std::vector<Shared> different;
  std::vector<std::size_t> places;
  if (first != nullptr) places = first_layers<Real>(models, first->size(), different);
  for_pieces<Real>(samples, rows_at_a_time<Real>(first), [&](const Batch<Real>& rows, std::size_t begin) {
    const std::span<double> outputs = scratch<double, struct JudgedOutputs>(rows.rows * model.outputs());
    const std::span<double> losses = scratch<double, struct JudgedLosses>(alone ? rows.rows : 0);
    if (first == nullptr) {
      for (std::size_t k = 0; k < models.size(); ++k) {
        model.predict(models[k].as<Real>(), rows, outputs);
        if (alone) model.losses(models[k].as<Real>(), rows, losses);
        work(k, begin, outputs, losses);
      }
      return;
    }
    const std::span<const Real> sums = sums_under_all<Real>(model, different, rows);
    const std::size_t each = rows.rows * first->outputs();
    const std::span<Real> spent = scratch<Real, struct SpentSums>(each);
    for (std::size_t k = 0; k < models.size(); ++k) {
      const std::span<const Real> tail = first->tail(models[k].as<Real>());
      const std::span<const Real> own = sums.subspan(places[k] * each, each);
      std::copy(own.begin(), own.end(), spent.begin());
      first->tail_outputs(tail, spent, outputs);
      if (alone) {
        std::copy(own.begin(), own.end(), spent.begin());
        first->tail_losses(tail, spent, rows.y, losses);
      }
      work(k, begin, outputs, losses);
    }
  });
}

}  // namespace

void ClientView::predict(std::span<const Shared> models, Part part, const TakePredictions& work) {
  for (const Shared& one : models) expect_model(one);
  with_real(precision(), [&](auto real) { judge_as<decltype(real)>(model(), models, samples(part), work); });
}

}  // namespace coterie
