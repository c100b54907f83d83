#include "algorithms/tiers/train_heads.h"

#include <numeric>

#include "coterie/methods/first_layer.h"
#include "coterie/methods/with_real.h"

namespace coterie {
namespace {

template <class Real>
Vec train_as(const HeadsModel::Trains trains, const Shared& sums_of, std::span<const double> gamma,
             std::size_t heads, const Vec& all, double prox, Vec& momentum, ClientView& view) {
  const Model& inner = view.model();
  Batch<Real> data = view.batch<Real>(Part::train);
  Vec weighed;
  if (!data.weights.empty()) {
    for (std::size_t j = 0; j < gamma.size(); ++j) weighed.push_back(gamma[j] * data.weights[j / heads]);
    gamma = weighed;
  }
  const HeadsModel model(inner, heads, gamma, trains, all);
  Vec numbers(data.rows);
  std::iota(numbers.begin(), numbers.end(), 0.0);
  if (model.on_sums()) {
    data.x = view.first_sums<Real>(sums_of);
    data.width = inner.first_layer()->outputs();
    data.backgrounds = {};
  }
  data.weights = numbers;
  const std::size_t begin = trains == HeadsModel::Trains::heads ? inner.head() : 0;
  const auto from = all.begin() + static_cast<std::ptrdiff_t>(begin);
  const std::vector<Real> start(from, from + static_cast<std::ptrdiff_t>(model.size()));
  std::vector<Real> w(start.size()), kept;
  if (view.solver().momentum_survives()) {
    momentum.resize(model.size(), 0.0);
    kept.assign(momentum.begin(), momentum.end());
  }
  LocalJob<Real> job{.model = model,
                     .data = data,
                     .w = w,
                     .prox = prox,
                     .centre = start,
                     .momentum = kept,
                     .round = view.round(),
                     .stream = view.stream(),
                     .start = start,
                     .first_sums = [&] { return view.first_sums<Real>(sums_of); },
                     .summed = view.knows_first_sums(sums_of),
                     .gram = [&] { return view.gram<Real>(); },
                     .late = nullptr};
  view.solver().train(job);
  momentum.assign(kept.begin(), kept.end());
  return Vec(w.begin(), w.end());
}

}  // namespace

Vec train_heads(HeadsModel::Trains trains, const Shared& sums_of, std::span<const double> gamma,
                std::size_t heads, const Vec& all, double prox, Vec& momentum, ClientView& view) {
  return with_real(view.precision(), [&](auto real) {
    return train_as<decltype(real)>(trains, sums_of, gamma, heads, all, prox, momentum, view);
  });
}

}  // namespace coterie
