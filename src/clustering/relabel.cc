#include "clustering/relabel.h"

#include <algorithm>
#include <map>
#include <utility>

#include "coterie/error.h"

namespace coterie {

std::vector<std::uint32_t> renumbered(std::span<const std::uint32_t> before,
                                      std::span<const std::uint32_t> now, std::size_t groups,
                                      std::uint32_t none) {
  check(before.size() == now.size(), "groups of the same items");
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> shared;  // items by group now and before
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (now[i] != none && before[i] != none && before[i] < groups) ++shared[{now[i], before[i]}];
  }
  std::vector<std::pair<std::pair<std::uint32_t, std::uint32_t>, std::size_t>> wishes(shared.begin(),
                                                                                      shared.end());
  std::stable_sort(wishes.begin(), wishes.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::uint32_t> numbers(groups, none);
  std::vector<bool> taken(groups, false);
  for (const auto& [wish, items] : wishes) {
    if (numbers[wish.first] != none || taken[wish.second]) continue;
    numbers[wish.first] = wish.second;
    taken[wish.second] = true;
  }
  std::uint32_t next = 0;
  for (std::uint32_t& number : numbers) {
    if (number != none) continue;
    while (taken[next]) ++next;
    number = next++;
  }
  return numbers;
}

}  // namespace coterie
