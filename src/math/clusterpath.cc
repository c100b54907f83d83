#include "math/clusterpath.h"

#include <algorithm>
#include <map>
#include <string>

#include "math/distances.h"
#include "math/separability.h"

namespace coterie {
namespace {

constexpr double kLeast = 1e-200, kMost = 1e200;  // of lambda

std::size_t different(const Points& points) {
  std::vector<std::size_t> order(points.count);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto less = [&](std::size_t i, std::size_t j) {
    return std::lexicographical_compare(points[i].begin(), points[i].end(), points[j].begin(),
                                        points[j].end());
  };
  std::sort(order.begin(), order.end(), less);
  std::size_t count = 1;
  for (std::size_t n = 1; n < order.size(); ++n) count += less(order[n - 1], order[n]) ? 1 : 0;
  return count;
}

class Walk {
 public:
  Walk(const Points& points, const ClusterpathOptions& options)
      : points_(points), options_(options), edges_(all_pairs(points.count)) {}

  // The first lambda from the start on, times factor each time, with this many groups. Where the start itself
  // is too large, the least lambda on the way down with one group.
  double bracket(double factor, std::size_t groups) {
    duals_.clear();
    double lambda = options_.start;
    if (has(lambda, groups)) {
      while (factor > 1 && lambda / factor > kLeast && has(lambda / factor, groups)) lambda /= factor;
      return lambda;
    }
    do {
      lambda *= factor;
      if (lambda > kLeast && lambda < kMost) continue;
      throw Error("clusterpath: no lambda between " + std::to_string(options_.start) +
                  " and the end of the " + "range of numbers gives " + std::to_string(groups) +
                  " groups; the points are too small or too large, so scale them");
    } while (!has(lambda, groups));
    return lambda;
  }

  Clusterpath over(double low, double high) {
    Clusterpath result;
    std::vector<ConvexClusters> found;
    std::map<std::size_t, std::size_t> times;  // that a number of groups occurs
    const auto last = static_cast<double>(options_.steps - 1);
    for (std::int64_t n = 0; n < options_.steps; ++n) {
      const double share = static_cast<double>(n) / last;
      const double lambda = low * (1 - share) + high * share;
      found.push_back(solve(lambda));
      const bool recovers = lambda_interval(points_, found.back().labels).contains(lambda);
      result.path.push_back({lambda, found.back().groups, recovers, found.back().gap});
      ++times[found.back().groups];
      result.recovers = result.recovers || recovers;
    }
    std::size_t best = found.size();
    for (std::size_t n = 0; n < found.size(); ++n) {
      if (result.recovers && !result.path[n].recovers) continue;
      if (best == found.size() || times[found[n].groups] > times[found[best].groups]) best = n;
    }
    result.lambda = result.path[best].lambda;
    result.chosen = std::move(found[best]);
    return result;
  }

 private:
  bool has(double lambda, std::size_t groups) {
    const ConvexClusters found = solve(lambda);
    return found.converged && found.groups == groups;
  }
  ConvexClusters solve(double lambda) {
    return convex_clustering(points_, edges_, lambda, options_.convex, &duals_);
  }

  const Points& points_;
  const ClusterpathOptions& options_;
  std::vector<Edge> edges_;
  Vec duals_;
};

}  // namespace

void ClusterpathOptions::options(Options& o) {
  o("start", &start, "lambda from which the range is sought", above(0));
  o("factor", &factor, "by which lambda grows until there is one group, and shrinks until points are alone",
    above(1));
  o("steps", &steps, "values of lambda between the two that are tried", at_least(2));
  convex.options(o);
}

Clusterpath clusterpath(const Points& points, const ClusterpathOptions& options) {
  require_finite(points, "clusterpath");
  check(options.start > 0 && options.factor > 1 && options.steps >= 2, "clusterpath needs steps to walk");
  Walk walk(points, options);
  const double high = walk.bracket(options.factor, 1);
  const double low = walk.bracket(1 / options.factor, different(points));
  return walk.over(low, high);
}

}  // namespace coterie
