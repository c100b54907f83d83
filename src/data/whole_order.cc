#include "data/whole_order.h"

#include <algorithm>
#include <map>

namespace coterie {

std::vector<std::size_t> whole_order(std::span<std::uint32_t> rows, std::span<const std::uint32_t> kin,
                                     std::span<const std::uint32_t> times) {
  struct Lot {
    std::uint32_t latest = 0;
    std::vector<std::uint32_t> rows;
  };
  std::vector<Lot> lots;
  std::map<std::uint32_t, std::size_t> place;
  for (const std::uint32_t row : rows) {
    std::size_t at = lots.size();
    if (!kin.empty() || !times.empty()) {
      at = place.emplace(kin.empty() ? times[row] : kin[row], at).first->second;
    }
    if (at == lots.size()) lots.emplace_back();
    lots[at].rows.push_back(row);
    if (!times.empty()) lots[at].latest = std::max(lots[at].latest, times[row]);
  }
  std::stable_sort(lots.begin(), lots.end(), [](const Lot& a, const Lot& b) { return a.latest < b.latest; });
  std::vector<std::size_t> ends;
  std::size_t filled = 0;
  for (const Lot& lot : lots) {
    for (const std::uint32_t row : lot.rows) rows[filled++] = row;
    ends.push_back(filled);
  }
  return ends;
}

}  // namespace coterie
