// Why to trust a grouping: how far apart its groups are, and whether theory says that a clustering algorithm
// must find them (ODCL, Definition 1, Lemmas 1 and 2, condition (13)).
//
// These are figures of a grouping that has been found or is known, not a test of whether it is the true one.
// The theory asks for much: groups that k-means finds every time may be far from what Lemma 2 needs.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "math/points.h"

namespace coterie {

// The lambdas for which convex clustering with all pairs is sure to give these groups, condition (13):
//
//   max_k max_{i,j in V_k} |a_i - a_j| / |V_k|  <=  lambda  <  min_{k != l} |mu_k - mu_l| / (2 m - |V_k| -
//   |V_l|)
struct LambdaInterval {
  double low = 0;
  double high = std::numeric_limits<double>::infinity();  // of one group
  bool bound = false;                                     // low is an upper bound of the lower end

  bool empty() const { return !(low < high); }
  bool contains(double lambda) const { return low <= lambda && lambda < high; }
};

// Whether (13) and Definition 1 say something of a grouping: one group meets them with every large lambda,
// and points that are all alone with every small one, whatever the points.
inline bool says_something(std::size_t groups, std::size_t points) { return groups > 1 && groups < points; }

// How the largest distance inside a group is found: among all its pairs, O(m^2 d) at worst; or bounded by
// twice its radius around the mean, O(m d), so that an interval which is not empty still lies inside (13).
enum class Diameters { exact, bound };

LambdaInterval lambda_interval(const Points& points, std::span<const std::uint32_t> labels,
                               Diameters diameters = Diameters::exact);

struct Separability {
  double radius = 0;    // largest distance of a point to the mean of its group
  double distance = 0;  // least distance between means; infinite for one group
  double alpha = 0;     // distance / radius: the points are separable, (4), for every alpha below this
  double needed_by_convex = 0;  // Lemma 1: 4 (m - s) / s, s the size of the smallest group
  double needed_by_kmeans = 0;  // Lemma 2, for spectral k-means: 2 + 2 c sqrt(m / s) with c = 100
  LambdaInterval lambda;
  bool meaningful = false;  // says_something()

  bool separable() const { return meaningful && alpha > 1; }
};

// alpha is infinite when the radius is 0 or there is one group. Labels without points do not count.
Separability separability(const Points& points, std::span<const std::uint32_t> labels,
                          Diameters diameters = Diameters::exact);

}  // namespace coterie
