// Points that have company, where some may be lies that stand alone.
//
// A point has company when its neighbour of rank n / (2 K), for n points in K clusters, is hardly farther
// than such neighbours are of most points: within three times the median. So a cluster of half the size of an
// equal share is kept, and what is smaller, far from all others, is not. Of fewer than 2 K points all are
// kept: nothing tells a lie from a small cluster.
//
// n^2 distances; a copy of the points meanwhile.
#pragma once

#include "coterie/data.h"
#include "math/points.h"

namespace coterie {

// Their coordinates, in order; at least half of the points.
Vec with_company(const Points& points, std::size_t clusters);

}  // namespace coterie
