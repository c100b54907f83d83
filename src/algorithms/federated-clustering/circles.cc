#include "algorithms/federated-clustering/circles.h"

#include <algorithm>

namespace coterie {

std::size_t Circle::place(ClientId client) const {
  return static_cast<std::size_t>(std::lower_bound(members.begin(), members.end(), client) - members.begin());
}

std::vector<Circle> cut_circles(std::span<const ClientId> cohort, std::size_t count, Stream& stream) {
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

std::size_t largest_of(std::span<const Circle> circles) {
  std::size_t most = 0;
  for (const Circle& circle : circles) most = std::max(most, circle.members.size());
  return most;
}

}  // namespace coterie
