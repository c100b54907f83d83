// The geometric median: the point with the least weighted sum of distances to all points. By Weiszfeld's
// algorithm, smoothed as in RFA (Pillutla, Kakade and Harchaoui, 2022, Algorithm 2):
//
//   z <- sum_i a_i x_i / sum_i a_i,   a_i = w_i / max(nu, |x_i - z|)
//
// Differs from RFA: it begins at the coordinate median instead of the mean, so that a few points far off cost
// no iterations; nu is relative to the median distance to that start, so that units do not matter, and falls
// from that distance by half in each step, since points with a small nu let go of a start nearby only slowly;
// and where the minimum is one of the points, that point is the result, to the bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "coterie/data.h"
#include "coterie/options.h"
#include "math/points.h"

namespace coterie {

struct GeometricMedianOptions {
  double smoothing = 1e-6;  // the last nu, of the median distance to the start
  // Stop when a step moved z by no more than this, of the same distance.
  double tolerance = 1e-8;
  // A minimum that is close to a point but not on it may need more.
  std::int64_t iterations = 200;

  void options(Options& o);
};

struct GeometricMedian {
  Vec point;
  std::size_t iterations = 0;
  bool converged = false;
};

// A weight above 0 for each point. Of two points it is the heavier one, or their middle. Throws Error when a
// coordinate is not finite.
GeometricMedian geometric_median(const Points& points, std::span<const double> weights,
                                 const GeometricMedianOptions& options = {});

}  // namespace coterie
