// The groups of a round of Federated-Clustering.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "coterie/random.h"

namespace coterie {

struct Circle {
  std::uint32_t number = 0;       // among those of the round
  std::vector<ClientId> members;  // ascending
  std::uint32_t first = 0;        // place of the first member's model on the shelf
  std::size_t place(ClientId client) const {
    return static_cast<std::size_t>(std::lower_bound(members.begin(), members.end(), client) -
                                    members.begin());
  }
};

// A random partition of a cohort; sizes differ by at most one, the larger first.
inline std::vector<Circle> cut_circles(std::span<const ClientId> cohort, std::size_t count, Stream& stream) {
  const std::vector<std::uint32_t> order = stream.permutation(cohort.size());
  std::vector<Circle> circles(count);
  for (std::size_t place = 0; place < cohort.size(); ++place) {
    circles[place % count].members.push_back(cohort[order[place]]);
  }
  for (std::uint32_t c = 0; c < count; ++c) {
    circles[c].number = c;
    std::sort(circles[c].members.begin(), circles[c].members.end());
  }
  return circles;
}

inline std::size_t largest_of(std::span<const Circle> circles) {
  std::size_t most = 0;
  for (const Circle& circle : circles) most = std::max(most, circle.members.size());
  return most;
}

}  // namespace coterie
