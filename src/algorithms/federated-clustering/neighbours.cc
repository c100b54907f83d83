#include "algorithms/federated-clustering/neighbours.h"

#include <algorithm>
#include <cmath>

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

Neighbourhood looked_neighbourhood(std::span<const Numbers* const> gradients, std::size_t own,
                                   std::span<const double> weights, std::span<const std::uint8_t> alike,
                                   const FarPoints& unusable) {
  const std::size_t count = gradients.size();
  const Vec gram = inner_products(gradients);
  std::vector<std::size_t> mates;
  Vec distances;
  for (std::size_t j = 0; j < count; ++j) {
    if (!alike[j]) continue;
    mates.push_back(j);
    const double squared = gram[own * count + own] - 2 * gram[own * count + j] + gram[j * count + j];
    if (j != own) distances.push_back(std::sqrt(std::max(0.0, squared)));
  }
  Neighbourhood all{combination({&gradients[own], 1}, Vec{1}), std::vector<std::uint8_t>(count, 0)};
  all.inside[own] = 1;
  if (distances.empty()) return all;
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  if (*middle == 0) {  // most are the same: those are alike
    for (const std::size_t j : mates) {
      all.inside[j] =
          gram[j * count + j] == gram[own * count + own] && gram[own * count + j] == gram[j * count + j];
    }
    return all;
  }
  std::vector<const Numbers*> near_by;
  Vec of_mates;
  FarPoints far = unusable;
  for (std::size_t j = 0; j < count; ++j) {
    if (alike[j]) {
      near_by.push_back(gradients[j]);
      of_mates.push_back(weights[j]);
    } else {
      far = {far.count + 1, far.weight + weights[j]};
    }
  }
  ThresholdOptions ball;
  ball.rule = "fixed";
  ball.radius = 2 * *middle;
  const auto place = static_cast<std::size_t>(std::find(mates.begin(), mates.end(), own) - mates.begin());
  Neighbourhood near = neighbourhood(near_by, place, of_mates, ball, far);
  all.step = std::move(near.step);
  for (std::size_t m = 0; m < mates.size(); ++m) all.inside[mates[m]] = near.inside[m];
  return all;
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
