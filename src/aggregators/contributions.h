// The vectors of a slot as points with weights.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "coterie/fold.h"
#include "math/distances.h"

namespace coterie {

class Gathered {
 public:
  // Throws Error, in the name of an aggregator, when a value is not finite or too large to be squared.
  Gathered(std::span<const Contribution> contributions, const std::string& kind)
      : count_(contributions.size()), width_(contributions[0].values.size()) {
    values_.reserve(count_ * width_);
    for (const Contribution& one : contributions) {
      values_.insert(values_.end(), one.values.begin(), one.values.end());
      weights_.push_back(one.weight);
    }
    require_finite(points(), "aggregate.kind = \"" + kind + "\"");
  }

  Points points() const { return {values_, count_, width_}; }
  std::span<const double> weights() const { return weights_; }

 private:
  std::size_t count_;
  std::size_t width_;
  Vec values_;
  Vec weights_;
};

// How many of `count` contributions are taken for liars: a part of one counts as one, but never half of them
// or more, where nothing tells liars from others.
inline std::size_t liars_among(std::size_t count, double share) {
  const auto liars = static_cast<std::size_t>(std::ceil(share * static_cast<double>(count) - 1e-9));
  return std::min(liars, (count - 1) / 2);
}

// Option `liars` of Krum and its kin.
inline void declare_liars(Options& o, double& liars) {
  o("liars", &liars, "share of a cluster's vectors that may be lies", between(0, 0.49));
}

}  // namespace coterie
