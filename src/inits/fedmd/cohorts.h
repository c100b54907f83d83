// Who is asked in which round of FedMD's first phase (inits/fedmd).
#pragma once

#include <cstdint>
#include <vector>

#include "coterie/algorithm.h"
#include "inits/fedmd/options.h"

namespace coterie {

// S_t of each round: clients drawn anew, or, with fresh data, never the same twice and no anchors. Clients
// without a pair of samples are never asked, with an event. Throws Error when fewer can be asked than wanted.
class Cohorts {
 public:
  Cohorts(const InitContext& context, const FedMdOptions& options, const std::vector<ClientId>& anchors);

  // Ascending; t counts from 1.
  std::vector<ClientId> of(std::uint32_t t) const;

 private:
  std::uint64_t seed_;
  bool fresh_;
  std::vector<ClientId> able_;
  std::vector<std::uint32_t> order_;  // of those, where each is asked once
  std::size_t size_;                  // m
};

}  // namespace coterie
