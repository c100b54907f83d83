// Lots of rows: rows of one kin belong together, and without kins every row is a lot of its own. Where rows
// are held out, drawn again or given random signs, that is done to whole lots.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "coterie/data.h"

namespace coterie {

struct Lots {
  std::vector<std::uint32_t> of;  // the lot of each row, numbered by first appearance
  std::size_t count = 0;

  explicit Lots(const Samples& samples) : Lots(samples.kin, samples.size()) {}
  Lots(const std::vector<std::uint32_t>& kin, std::size_t rows) {
    of.reserve(rows);
    std::unordered_map<std::uint32_t, std::uint32_t> seen;
    for (std::uint32_t row = 0; row < rows; ++row)
      of.push_back(kin.empty() ? row : seen.emplace(kin[row], seen.size()).first->second);
    count = kin.empty() ? rows : seen.size();
  }
};

}  // namespace coterie
