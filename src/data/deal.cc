#include "data/deal.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text.h"
#include "data/apportion.h"

namespace coterie {

void require_rows(std::size_t clients, std::size_t each, std::size_t rows) {
  if (clients * each <= rows) return;
  throw Error(fmt::format("{} x {} need {}, the pool has {}; ask for fewer clients or samples",
                          counted(clients, "client"), counted(each, "sample"), counted(clients * each, "row"),
                          rows));
}

std::vector<std::size_t> power_law_sizes(std::size_t clients, std::size_t total, std::size_t minimum,
                                         double power) {
  require_rows(clients, minimum, total);
  std::vector<double> weights;
  for (std::size_t i = 0; i < clients; ++i) weights.push_back(std::pow(static_cast<double>(i + 1), -power));
  std::vector<std::size_t> sizes = apportion(total - clients * minimum, weights);
  for (std::size_t& size : sizes) size += minimum;
  return sizes;
}

Hands hand_out(std::size_t rows, std::span<const std::size_t> sizes, Stream& stream) {
  const std::vector<std::uint32_t> order = stream.permutation(rows);
  Hands hands;
  hands.reserve(sizes.size());
  auto next = order.begin();
  for (std::size_t size : sizes) {
    check(size <= static_cast<std::size_t>(order.end() - next),
          "hand_out was asked for more rows than there are");
    hands.emplace_back(next, next + static_cast<std::ptrdiff_t>(size));
    next += static_cast<std::ptrdiff_t>(size);
  }
  return hands;
}

Hands rows_by_class(const DealRequest& request, const std::string& partition, Stream& stream) {
  if (request.labels.empty() || request.classes == 0) {
    throw Error("partition \"" + partition +
                "\" deals by class, but the data has none; use iid, quantity or natural");
  }
  Hands rows(request.classes);
  for (std::size_t row = 0; row < request.rows; ++row) {
    rows[static_cast<std::size_t>(request.labels[row])].push_back(static_cast<std::uint32_t>(row));
  }
  for (std::vector<std::uint32_t>& one : rows) stream.shuffle(std::span(one));
  return rows;
}

}  // namespace coterie
