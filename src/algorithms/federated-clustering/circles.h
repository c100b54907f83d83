// The groups of a round of Federated-Clustering.
#pragma once

#include <span>
#include <vector>

#include "coterie/data.h"
#include "coterie/random.h"

namespace coterie {

struct Circle {
  std::uint32_t number = 0;       // among those of the round
  std::vector<ClientId> members;  // ascending
  std::uint32_t first = 0;        // place of the first member's model on the shelf
  // The place of a member among them.
  std::size_t place(ClientId client) const;
};

// A random partition of a cohort; sizes differ by at most one, the larger first.
std::vector<Circle> cut_circles(std::span<const ClientId> cohort, std::size_t count, Stream& stream);

// Clients of the largest.
std::size_t largest_of(std::span<const Circle> circles);

}  // namespace coterie
