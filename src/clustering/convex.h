// Convex clustering: a centroid u_i for each point a_i by
//
//   min  1/2 sum_i |a_i - u_i|^2  +  lambda sum_{i<j} w_ij |u_i - u_j|,
//
// whose norms are not squared, so that centroids become equal: points with the same centroid are a group.
// There is one solution and no start to choose; lambda takes the place of K. Choose it when K is unknown and
// groups are compact; it costs far more than k-means.
//
// The dual has one vector z_ij with |z_ij| <= lambda w_ij for each edge, and u_i = a_i - sum_j z_ij (with
// z_ji = -z_ij). It is solved by accelerated projected gradients (FISTA; the AMA of Chi and Lange, 2015, with
// momentum), starting the momentum again when it points uphill, and with a step of its own for each edge.
// Points of more coordinates than there are points are first rotated into the space that they span. Memory:
// two numbers for each edge and coordinate there, the width rounded up to a multiple of four; three with
// duals that are kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "clustering/edges.h"
#include "coterie/data.h"
#include "coterie/options.h"
#include "math/points.h"

namespace coterie {

struct ConvexOptions {
  double tolerance = 1e-6;  // of the relative duality gap and the relative residual
  std::int64_t iterations = 100000;

  void options(Options& o);
};

struct ConvexClusters {
  Vec centroids;  // u, count x width; of a group equal to the bit, unless the gap leaves a doubt
  std::vector<std::uint32_t> labels;  // numbered in the order of first points
  std::size_t groups = 0;
  double objective = 0;
  double gap = 0;       // relative duality gap (P - D) / P: the certificate
  double residual = 0;  // relative KKT residual
  std::size_t iterations = 0;
  bool converged = false;
};

// Groups are the components of edges whose centroids differ by no more than what the gap leaves open: the
// objective is strongly convex, so |u - u*|^2 <= 2 (P - D), and centroids that are equal in the solution
// differ by 2 sqrt(P - D) at most. Where that leaves a doubt the solver goes on, down to a gap of tolerance /
// 10^9 or for a few times as long.
//
// `duals` (edges x width, in the space that the points span where that is narrower), when given, is the start
// if it comes from a problem with the same points and as many edges (a neighbouring lambda), and becomes the
// solution's.
//
// Throws Error when a coordinate is not finite.
ConvexClusters convex_clustering(const Points& points, const std::vector<Edge>& edges, double lambda,
                                 const ConvexOptions& options = {}, Vec* duals = nullptr);

}  // namespace coterie
