// Tables with a row for each cluster, and how they follow edits.
#pragma once

#include "algorithms/tiers/clusters.h"

namespace coterie {

// A new cluster has a copy of the row that it came from; what a cluster takes in is added. Empty tables stay
// empty.
inline void edit_rows(const ClusterEdit& edit, Vec& table, std::size_t width) {
  if (table.empty()) return;
  const auto row = [&](std::size_t k) { return table.begin() + static_cast<std::ptrdiff_t>(k * width); };
  if (edit.kind == ClusterEdit::Kind::split) {
    const Vec copy(row(edit.cluster), row(edit.cluster + std::size_t{1}));
    table.insert(table.end(), copy.begin(), copy.end());
    return;
  }
  const bool merge = edit.kind == ClusterEdit::Kind::merge;
  const std::size_t gone = merge ? edit.other : edit.cluster;
  for (std::size_t c = 0; merge && c < width; ++c) table[edit.cluster * width + c] += table[gone * width + c];
  table.erase(row(gone), row(gone + 1));
}

}  // namespace coterie
