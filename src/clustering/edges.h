// Which pairs of points convex clustering draws together, and how strongly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "math/points.h"

namespace coterie {

struct Edge {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  double weight = 1;
};

// All pairs of `count` points, with weight 1: the problem (12) of ODCL.
std::vector<Edge> all_pairs(std::size_t count);

// Pairs of which one is among the k nearest of the other, with weight exp(-phi |a_i - a_j|^2), in the order
// of their indices. The first of equally near points is nearer. Fewer terms than all pairs, but groups that
// no edge joins can never become one.
std::vector<Edge> knn_edges(const Points& points, std::size_t k, double phi);

}  // namespace coterie
