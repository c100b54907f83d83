// Which clients are alike at one model, and the step that they agree on: the server's part of
// Federated-Clustering for a single client i, given everybody's gradient at its model x_i.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "clustering/threshold.h"
#include "coterie/data.h"

namespace coterie {

struct Neighbourhood {
  Vec step;                          // v_i
  std::vector<std::uint8_t> inside;  // for each gradient, whether it counts as like the own one
};

// Threshold clustering from the own gradient. Where there are more gradients than parameters it works on the
// gradients themselves, else on their inner products.
Neighbourhood neighbourhood(std::span<const Numbers* const> gradients, std::size_t own,
                            std::span<const double> weights, const ThresholdOptions& options,
                            const FarPoints& unusable);

// The same without a radius that somebody has to know, where looks (looks.h) say who may be alike: the ball
// around the own gradient has twice the median distance of these others as radius, and nobody else is inside.
Neighbourhood looked_neighbourhood(std::span<const Numbers* const> gradients, std::size_t own,
                                   std::span<const double> weights, std::span<const std::uint8_t> alike,
                                   const FarPoints& unusable);

// The same when it is known who is alike: their mean. Says also how the assumptions of the paper's
// section 3.2 fare at this model, with f_i the own loss and f the mean over those alike:
//   within    |grad f_i - grad f|^2 / |grad f|^2                          (7); none where grad f is 0
//   between   the least |grad f_i - grad f_j|^2 over the others           (8); none where there are none
struct KnownNeighbourhood {
  Neighbourhood found;
  std::optional<double> within;
  std::optional<double> between;
};
KnownNeighbourhood known_neighbourhood(std::span<const Numbers* const> gradients, std::size_t own,
                                       std::span<const double> weights, std::vector<std::uint8_t> alike);

}  // namespace coterie
