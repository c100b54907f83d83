// Connected components, as edges come in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace coterie {

class Components {
 public:
  explicit Components(std::size_t count) : parent_(count), groups_(count) {
    std::iota(parent_.begin(), parent_.end(), std::uint32_t{0});
  }

  // The smallest item of the component.
  std::uint32_t find(std::uint32_t item) {
    while (parent_[item] != item) item = parent_[item] = parent_[parent_[item]];
    return item;
  }

  // Whether they were apart.
  bool join(std::uint32_t a, std::uint32_t b) {
    a = find(a);
    b = find(b);
    if (a == b) return false;
    if (b < a) std::swap(a, b);
    parent_[b] = a;
    --groups_;
    return true;
  }

  std::size_t groups() const { return groups_; }

  // Numbered from 0, in the order of their first items.
  std::vector<std::uint32_t> labels() {
    std::vector<std::uint32_t> labels(parent_.size());
    std::uint32_t next = 0;
    for (std::uint32_t i = 0; i < labels.size(); ++i) {
      const std::uint32_t first = find(i);
      labels[i] = first == i ? next++ : labels[first];
    }
    return labels;
  }

 private:
  std::vector<std::uint32_t> parent_;
  std::size_t groups_;
};

}  // namespace coterie
