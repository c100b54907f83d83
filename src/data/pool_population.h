// A population that is a pool, nothing more: what every source of real data opens.
#pragma once

#include <utility>

#include "coterie/source.h"

namespace coterie {

class PoolPopulation : public Population {
 public:
  explicit PoolPopulation(Pool pool) : pool_(std::move(pool)) {}
  const Shape& shape() const override { return pool_.train.shape; }
  const Pool* pool() const override { return &pool_; }

 private:
  Pool pool_;
};

}  // namespace coterie
