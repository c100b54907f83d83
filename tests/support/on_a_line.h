// An aggregator with its options, over numbers on a line.
#pragma once

#include "coterie/fold.h"
#include "support/plugins.h"

namespace coterie {

// Of clients 0, 1, ... with these weights; none: all alike.
inline double on_a_line(const std::string& kind, const std::string& toml, const Vec& values,
                        const Vec& weights = {}) {
  std::vector<Contribution> all;
  for (std::size_t i = 0; i < values.size(); ++i) {
    all.push_back({static_cast<ClientId>(i), weights.empty() ? 1 : weights[i], {values[i]}});
  }
  return make_plugin<Aggregator>(kind, toml)->combine(all)[0];
}

}  // namespace coterie
