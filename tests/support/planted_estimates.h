// Clients' estimates with known groups, spread and noise.
#pragma once

#include <cmath>
#include <cstdint>

#include "coterie/random.h"
#include "groups/estimate.h"

namespace coterie {

struct PlantedEstimates {
  std::size_t clients = 40;
  std::size_t width = 3;
  std::size_t groups = 1;
  double far = 0;      // group g is at +far or -far in each coordinate, by the bits of g
  double inside = 0;   // deviation of clients inside a group
  double noise = 0.1;  // deviation of an estimate
  double rows = 100;
};

inline Estimates planted_estimates(const PlantedEstimates& plan, std::uint64_t seed) {
  Estimates all;
  all.width = plan.width;
  Stream stream(seed, {.purpose = Purpose::test});
  for (std::size_t i = 0; i < plan.clients; ++i) {
    const std::size_t group = i % plan.groups;
    Estimate e;
    for (std::size_t c = 0; c < plan.width; ++c) {
      const double centre = group >> (c % 2) & 1 ? -plan.far : plan.far;
      e.b.push_back(centre + plan.inside * stream.normal() + plan.noise * stream.normal());
    }
    e.v.assign(plan.width * plan.width, 0.0);
    const double variance = plan.noise * plan.noise * 2 *
                            stream.gamma((plan.rows - static_cast<double>(plan.width)) / 2) /
                            (plan.rows - static_cast<double>(plan.width));
    for (std::size_t c = 0; c < plan.width; ++c) e.v[c * plan.width + c] = variance;
    e.rows = plan.rows;
    all.of.push_back(std::move(e));
  }
  return all;
}

// New estimates of the same clients: each with its noise once more.
inline Vec noisy_again(const Estimates& estimates, Stream& stream) {
  Vec b;
  for (const Estimate& e : estimates.of) {
    for (std::size_t c = 0; c < estimates.width; ++c) {
      b.push_back(e.b[c] + std::sqrt(e.v[c * estimates.width + c]) * stream.normal());
    }
  }
  return b;
}

}  // namespace coterie
