// K-means: k centres and a nearest centre for each point, with a small sum of squared distances.
//
// Lloyd's algorithm from given centres, from random points, or from k-means++ seeds (Arthur and
// Vassilvitskii, 2007). Nearness is decided by distances that are exact to rounding of a plain difference:
// products find the few centres that can be nearest, and where there are several, each difference is summed.
// The first of equally near centres wins, so equal inputs give equal labels.
//
// A centre that no point is nearest to moves to the point that is farthest from its own centre, the first of
// equals, taken from a group of at least two. When no point is away from its centre (fewer different points
// than centres), it stays where it is and its group stays empty.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "coterie/data.h"
#include "coterie/options.h"
#include "coterie/random.h"
#include "math/points.h"

namespace coterie {

struct KMeansOptions {
  std::int64_t restarts = 10;        // the run with the least objective wins, the first of equals
  std::int64_t iterations = 300;     // of each run
  double tolerance = 0;              // stop when no centre moved by more than this; 0: when no label changes
  std::string seeding = "kmeans++";  // or "random": k different points

  // The two that a user may want to set: restarts and seeding.
  void options(Options& o);
};

struct Grouping {
  Vec centres;                        // k x width
  std::vector<std::uint32_t> labels;  // of the points
  double objective = 0;               // sum of squared distances to the own centre
  std::size_t iterations = 0;         // of the run that won

  std::span<const double> centre(std::size_t k, std::size_t width) const {
    return std::span(centres).subspan(k * width, width);
  }
};

// Lloyd's algorithm from these k x width centres. Labels and objective belong to the centres returned, which
// are the means of their groups.
Grouping lloyd(const Points& points, Vec centres, const KMeansOptions& options = {});

// The first centre is a random point; each further one is a point drawn with probability proportional to its
// squared distance to the nearest centre so far. Once all of them are 0, any point.
Vec kmeans_plus_plus(const Points& points, std::size_t k, Stream& stream);

// The best of several runs. k may exceed the number of points: then groups stay empty. Throws Error when a
// coordinate is not finite.
Grouping kmeans(const Points& points, std::size_t k, const KMeansOptions& options, Stream& stream);

}  // namespace coterie
