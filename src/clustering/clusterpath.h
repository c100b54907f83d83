// The lambda of convex clustering, and with it the number of groups, by a walk over many (ODCL, Appendices C
// and D.2).
//
// From `start`, lambda grows by `factor` until all points are one group, and shrinks by it until each point
// is alone. At `steps` values from one to the other, equally far apart, the groups are found and condition
// (13) is checked for them. Of the values where it holds, the one is taken whose number of groups occurs most
// often among all values; the smallest lambda of equals.
//
// Differs from the paper in what it makes of one group and of points that are all alone. For these two (13)
// says nothing: every large and every small lambda meets it. So they do not count as recovered, and where
// nothing else is, the most frequent number of groups is taken among those in between that occur at two
// values at least. Only where there is none either, nothing stands out, and the most frequent of all is
// taken, which may be one of the two. `literal` is the rule as printed: the two count like all others.
//
// Where `start` already gives one group, the range ends at the least lambda that does, going down; otherwise
// most of the values would lie beyond it. Equal points count as one when it is asked whether each is alone,
// since no lambda parts them; and each problem starts from the solution of the one before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "clustering/convex.h"
#include "coterie/options.h"
#include "math/points.h"

namespace coterie {

struct ClusterpathOptions {
  double start = 0.1;
  double factor = 1.25;     // alpha, above 1
  std::int64_t steps = 10;  // N, at least 2
  bool literal = false;     // one group, and points that are all alone, count too
  ConvexOptions convex;

  // Those of the walk, which are refused where there is none.
  void options(Options& o, bool used);
};

struct PathStep {
  double lambda = 0;
  std::size_t groups = 0;
  bool recovers = false;  // condition (13) holds for the groups found, and they say something or `literal`
  double gap = 0;
};

struct Clusterpath {
  ConvexClusters chosen;
  double lambda = 0;
  bool recovers = false;
  std::vector<PathStep> path;  // by rising lambda
};

// Over all pairs, with weight 1. Throws Error when a coordinate is not finite, or when lambda is out of range
// before the points are all together or all alone.
Clusterpath clusterpath(const Points& points, const ClusterpathOptions& options = {});

}  // namespace coterie
