#include "clustering/clusterpath.h"

#include <algorithm>
#include <map>
#include <string>

#include "clustering/separability.h"
#include "clustering/spanned.h"
#include "coterie/error.h"
#include "math/distances.h"

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
                  " and the end of the range of numbers gives " + std::to_string(groups) +
                  " groups; the points are too small or too large, so scale them");
    } while (!has(lambda, groups));
    return lambda;
  }

  Clusterpath over(double low, double high) {
    Clusterpath result;
    std::vector<ConvexClusters> found;
    const auto last = static_cast<double>(options_.steps - 1);
    for (std::int64_t n = 0; n < options_.steps; ++n) {
      const double share = static_cast<double>(n) / last;
      const double lambda = low * (1 - share) + high * share;
      found.push_back(solve(lambda));
      const std::size_t groups = found.back().groups;
      const bool recovers = counts(groups) && lambda_interval(points_, found.back().labels).contains(lambda);
      result.path.push_back({lambda, groups, recovers, found.back().gap});
    }
    const std::size_t best = choose(result.path);
    result.lambda = result.path[best].lambda;
    result.recovers = result.path[best].recovers;
    result.chosen = std::move(found[best]);
    return result;
  }

 private:
  // Whether a number of groups can be recovered, and can stand out.
  bool counts(std::size_t groups) const { return options_.literal || says_something(groups, points_.count); }

  // The value to take, as the header says.
  std::size_t choose(const std::vector<PathStep>& path) const {
    std::map<std::size_t, std::size_t> times;  // that a number of groups occurs
    for (const PathStep& step : path) ++times[step.groups];
    const auto stands_out = [&](const PathStep& step) {
      return counts(step.groups) && times[step.groups] > 1;
    };
    const auto recovers = [](const PathStep& step) { return step.recovers; };
    const bool certain = std::any_of(path.begin(), path.end(), recovers);
    const bool stable = std::any_of(path.begin(), path.end(), stands_out);
    std::size_t best = path.size();
    for (std::size_t n = 0; n < path.size(); ++n) {
      if (certain ? !recovers(path[n]) : stable && !stands_out(path[n])) continue;
      if (best == path.size() || times[path[n].groups] > times[path[best].groups]) best = n;
    }
    return best;
  }

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

void ClusterpathOptions::options(Options& o, bool used) {
  o("start", &start, "lambda from which the range is sought", above(0));
  o("factor", &factor, "by which lambda grows until there is one group, and shrinks until points are alone",
    above(1));
  o("steps", &steps, "values of lambda between the two that are tried", at_least(2));
  o("literal", &literal,
    "the rule as the ODCL paper prints it: one group, and points that are all alone, count too. (13) holds "
    "for "
    "them with every large and every small lambda, so by default they do not");
  const ClusterpathOptions usual;
  const std::string unused = "is used with rule = \"clusterpath\" only";
  o.require(used || start == usual.start, "start", unused);
  o.require(used || factor == usual.factor, "factor", unused);
  o.require(used || steps == usual.steps, "steps", unused);
  o.require(used || literal == usual.literal, "literal", unused);
}

Clusterpath clusterpath(const Points& points, const ClusterpathOptions& options) {
  require_finite(points, "clusterpath");
  check(options.start > 0 && options.factor > 1 && options.steps >= 2, "clusterpath needs steps to walk");
  const Spanned spanned(points);
  const Points narrow = spanned.points();
  Walk walk(narrow, options);
  const double high = walk.bracket(options.factor, 1);
  const double low = walk.bracket(1 / options.factor, different(points));
  Clusterpath result = walk.over(low, high);
  result.chosen.centroids = spanned.back(std::move(result.chosen.centroids));
  return result;
}

}  // namespace coterie
