// Rows in an order that may be cut into parts: what belongs together side by side, earlier before later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace coterie {

// Reorders `rows` and returns where it may be cut: the places after which a new lot begins, ascending, the
// end included. A lot is a kin, or without kins the rows of one time; with neither it is a row. Lots come by
// their latest time; without times in the order in which `rows` first names them. `kin` and `times` are by
// row, and may be empty.
std::vector<std::size_t> whole_order(std::span<std::uint32_t> rows, std::span<const std::uint32_t> kin,
                                     std::span<const std::uint32_t> times);

}  // namespace coterie
