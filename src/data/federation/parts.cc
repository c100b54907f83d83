#include "data/federation/parts.h"

#include "data/whole_order.h"

namespace coterie {

Cut cut_whole(std::span<std::uint32_t> rows, std::span<const std::uint32_t> kin,
              std::span<const std::uint32_t> times, const ClientsOptions& options) {
  const std::vector<std::size_t> ends = whole_order(rows, kin, times);
  const Cut wanted = cut_parts(rows.size(), options);
  // Training keeps at least one lot; the rest goes by the nearest border.
  const auto near = [&](std::size_t place) {
    return *std::min_element(ends.begin(), ends.end(), [&](std::size_t a, std::size_t b) {
      const auto gap = [&](std::size_t x) { return x > place ? x - place : place - x; };
      return gap(a) < gap(b);
    });
  };
  Cut cut;
  cut.train = near(wanted.train);
  const std::size_t before_test = std::max(cut.train, near(wanted.train + wanted.validation));
  cut.validation = wanted.validation > 0 ? before_test - cut.train : 0;
  cut.test = rows.size() - cut.train - cut.validation;
  return cut;
}

}  // namespace coterie
