// Agglomerative clustering: every point begins alone, and the two nearest groups are joined until one is
// left. Groups are as far apart as their farthest points (complete), their points on average (average), or
// their nearest points (single).
//
// Choose it when there is a distance to cut at, for any distances (cosines of updates), or to look at all
// numbers of groups at once. O(n^2) time: single linkage along a minimum spanning tree (Prim), the others by
// chains of nearest neighbours (Benzecri; Juan, 1982), which find the same joins in another order.
// From points, single linkage needs O(n) memory; the others n^2 / 2 numbers.
//
// Equal distances: the smaller of the points' indices wins, so equal inputs give equal groups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "math/points.h"

namespace coterie {

enum class Linkage { complete, average, single };
// "complete", "average" or "single", as options spell it.
Linkage linkage_named(const std::string& name);

// One join: of the groups of these two points, at this distance.
struct Join {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  double distance = 0;
};

struct Dendrogram {
  std::size_t count = 0;    // of points
  std::vector<Join> joins;  // count - 1, by rising distance

  // Labels are numbered in the order of first points.
  std::vector<std::uint32_t> cut_at(double distance) const;       // joins up to this distance, included
  std::vector<std::uint32_t> cut_into(std::size_t groups) const;  // at most as many as points
};

// Euclidean distances. Throws Error when a coordinate is not finite.
Dendrogram agglomerate(const Points& points, Linkage linkage);

// From a count x count matrix of distances: the part below the diagonal is read. Throws Error when some
// distance is not finite.
Dendrogram agglomerate(std::span<const double> distances, std::size_t count, Linkage linkage);

}  // namespace coterie
