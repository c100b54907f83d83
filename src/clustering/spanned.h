// Points in coordinates of the space that they span around their mean: no more coordinates than points, and
// the same distances, to rounding. For what depends on distances alone and costs time for every pair of
// points and coordinate, as convex clustering does.
//
// Equal points keep equal coordinates, to the bit.
#pragma once

#include <cstddef>

#include "coterie/data.h"
#include "math/points.h"

namespace coterie {

class Spanned {
 public:
  // Points that are no wider than many stay as they are; they are borrowed.
  explicit Spanned(const Points& points);

  Points points() const { return basis_.empty() ? given_ : Points{coordinates_, given_.count, width_}; }
  // Rows of coordinates, as they were given.
  Vec back(Vec rows) const;

 private:
  Points given_;
  Vec mean_;
  Vec basis_;  // orthonormal rows
  std::size_t width_ = 0;
  Vec coordinates_;
};

}  // namespace coterie
