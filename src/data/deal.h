// What several partitions do alike when they deal a pool.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "coterie/partition.h"

namespace coterie {

using Hands = std::vector<std::vector<std::uint32_t>>;  // rows of each client

// "48 clients x 100 samples need 4800 rows, the pool has 1437", and what to do, unless there are enough.
void require_rows(std::size_t clients, std::size_t each, std::size_t rows);

// Sizes that sum to `total`: the i-th client has `minimum` and a share of the rest in proportion to i^-power.
// Equal but for one sample, larger ones first, when power is 0; an Error when there are too few rows.
std::vector<std::size_t> power_law_sizes(std::size_t clients, std::size_t total, std::size_t minimum,
                                         double power);

// Random rows in these amounts, at most as many as there are.
Hands hand_out(std::size_t rows, std::span<const std::size_t> sizes, Stream& stream);

// The rows of each class in random order; an Error that names the partition when there are no classes.
Hands rows_by_class(const DealRequest& request, const std::string& partition, Stream& stream);

}  // namespace coterie
