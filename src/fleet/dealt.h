// Which rank each client lives on. Whole blocks of clients are dealt by their samples, the largest first,
// each to the rank that has the least; a client stays where it is, because its data and its state are there.
#pragma once

#include <cstdint>
#include <vector>

#include "coterie/source.h"

namespace coterie {

class Dealt {
 public:
  Dealt(const Roster& roster, std::int64_t block, unsigned ranks);

  unsigned rank_of(ClientId client) const { return ranks_[client / block_]; }

 private:
  ClientId block_;
  std::vector<std::uint16_t> ranks_;  // of each block
};

}  // namespace coterie
