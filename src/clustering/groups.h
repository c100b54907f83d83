// Means and sizes of the groups that labels name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "coterie/data.h"
#include "math/points.h"

namespace coterie {

struct GroupMeans {
  Vec means;                       // one row for each label up to the largest; zeros where a group is empty
  std::vector<std::size_t> sizes;  // as many

  std::size_t count() const { return sizes.size(); }
  std::span<const double> mean(std::size_t k) const {
    const std::size_t width = means.size() / sizes.size();
    return std::span(means).subspan(k * width, width);
  }
};

// The mean of all points, by their differences from the first: nearly equal points keep their digits.
Vec mean_of(const Points& points);

GroupMeans group_means(const Points& points, std::span<const std::uint32_t> labels);

}  // namespace coterie
