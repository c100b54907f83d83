// What liars work out from their honest changes.
#pragma once

#include "coterie/attack.h"

namespace coterie {

inline Vec mean_of(std::span<const Vec> changes) {
  Vec mean(changes[0].size(), 0.0);
  for (const Vec& one : changes) {
    for (std::size_t j = 0; j < mean.size(); ++j) mean[j] += one[j];
  }
  for (double& value : mean) value /= static_cast<double>(changes.size());
  return mean;
}

}  // namespace coterie
