#include "algorithms/federated-clustering/neighbours.h"

#include "algorithms/federated-clustering/combine.h"

namespace coterie {

Neighbourhood neighbourhood(std::span<const Numbers* const> gradients, std::size_t own,
                            std::span<const double> weights, const ThresholdOptions& options,
                            const FarPoints& unusable) {
  const std::size_t count = gradients.size(), width = gradients[own]->size();
  if (width < count) {
    Vec values;
    for (const Numbers* one : gradients) {
      const Vec gradient = *one;
      values.insert(values.end(), gradient.begin(), gradient.end());
    }
    ThresholdCentre found =
        threshold_centre({values, count, width}, weights, *gradients[own], options, unusable);
    return {std::move(found.centre), std::move(found.inside)};
  }
  const Vec gram = inner_products(gradients);
  Vec start(count, 0.0);
  start[own] = 1;
  ThresholdCentre found = threshold_coefficients(Matrix<const double>(gram.data(), count, count), weights,
                                                 std::move(start), options, unusable);
  return {combination(gradients, found.centre), std::move(found.inside)};
}

KnownNeighbourhood known_neighbourhood(std::span<const Numbers* const> gradients, std::size_t own,
                                       std::span<const double> weights, std::vector<std::uint8_t> alike) {
  const std::size_t count = gradients.size();
  const Vec gram = inner_products(gradients);
  auto product = [&](std::size_t i, std::size_t j) { return gram[i * count + j]; };
  Vec factors(count, 0.0);
  double total = 0;
  for (std::size_t j = 0; j < count; ++j) total += alike[j] ? weights[j] : 0;
  for (std::size_t j = 0; j < count; ++j) factors[j] = alike[j] ? weights[j] / total : 0;
  double squared = 0, across = 0;  // |grad f|^2 and <grad f_i, grad f>
  for (std::size_t i = 0; i < count; ++i) {
    across += factors[i] * product(own, i);
    for (std::size_t j = 0; j < count; ++j) squared += factors[i] * factors[j] * product(i, j);
  }
  KnownNeighbourhood known;
  if (squared > 0) known.within = (product(own, own) - 2 * across + squared) / squared;
  for (std::size_t j = 0; j < count; ++j) {
    if (alike[j]) continue;
    const double gap = product(own, own) - 2 * product(own, j) + product(j, j);
    if (!known.between || gap < *known.between) known.between = gap;
  }
  known.found = {combination(gradients, factors), std::move(alike)};
  return known;
}

}  // namespace coterie
