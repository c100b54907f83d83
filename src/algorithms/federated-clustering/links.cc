#include "algorithms/federated-clustering/links.h"

#include <algorithm>

#include "math/components.h"

namespace coterie {

void Links::found(std::span<const std::pair<ClientId, ClientId>> alike, std::uint32_t round) {
  for (const auto& [i, j] : alike) {
    if (i < j && std::binary_search(alike.begin(), alike.end(), std::pair(j, i))) {
      links_.push_back({i, j, round});
    }
  }
}

void Links::end_turn(std::span<const ClientId> cohort, std::uint32_t round) {
  for (const ClientId i : cohort) last_turn_[i] = round;
  std::erase_if(links_, [&](const Link& link) {
    return last_turn_[link.a] != link.round && last_turn_[link.b] != link.round;
  });
}

std::vector<std::uint32_t> Links::groups() const {
  Components components(last_turn_.size());
  for (const Link& link : links_) components.join(link.a, link.b);
  return components.labels();
}

}  // namespace coterie
