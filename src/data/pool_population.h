// A population that is a pool, nothing more: what every source of real data opens.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "coterie/source.h"
#include "data/table_scaling.h"

namespace coterie {

class PoolPopulation : public Population {
 public:
  explicit PoolPopulation(Pool pool) : pool_(std::move(pool)) {}
  const Shape& shape() const override { return pool_.train.shape; }
  const Pool* pool() const override { return &pool_; }
  // Groups are the true clusters that a column names; owners, not shares, say who is in which.
  std::size_t groups() const override { return std::max<std::size_t>(1, pool_.truth_names.size()); }
  std::string group_name(std::size_t group) const override {
    return pool_.truth_names.empty() ? Population::group_name(group) : pool_.truth_names[group];
  }
  void agree(const TableSchema& table, bool floats) override {
    pool_.table = table;
    if (table.scaling == "each") return;
    apply_schema(table, pool_.train, floats);
    apply_schema(table, pool_.test, floats);
  }

  // Lets go of features that somebody else has copied; all else about the rows stays.
  void drop_features() {
    for (Samples* part : {&pool_.train, &pool_.test}) {
      std::visit([](auto& features) { std::exchange(features, {}); }, part->features);
    }
  }

 private:
  Pool pool_;
};

}  // namespace coterie
