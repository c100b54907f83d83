// Any of the clustering algorithms here by name, with the number of groups given, chosen, or found: what a
// server does with its clients' models.
//
//   kmeans, kmeans++   from random points, or from k-means++ seeds; the best of `restarts`
//   spectral           k-means where the points vary most, then Lloyd's algorithm (spectral.h)
//   gradient           centres move by gradient steps; Huber's loss for outliers (gradient_clustering.h)
//   convex             finds K by itself, from lambda (convex.h)
#pragma once

#include <optional>
#include <string>

#include "clustering/choose_k.h"
#include "clustering/clusterpath.h"
#include "clustering/gradient_clustering.h"
#include "clustering/separability.h"
#include "clustering/spectral.h"

namespace coterie {

struct ClusteringOptions {
  std::string kind = "kmeans++";
  std::string count = "given";  // K: as given, or by "elbow" or "silhouette"
  std::int64_t most = 10;       // the largest K tried
  std::optional<double> threshold;
  KMeansOptions kmeans;
  SpectralOptions spectral;
  GradientClusteringOptions gradient;
  // Of convex clustering. Lambda: a number, by "clusterpath", or from the "interval" (13) of the true groups:
  // uniform in it, or its upper end where it is empty (ODCL, Appendix D.1).
  std::string lambda_rule = "clusterpath";
  std::optional<double> lambda;
  std::string weights = "uniform";  // of all pairs, or "knn"
  std::int64_t neighbours = 10;
  double phi = 0;  // a pair of neighbours weighs exp(-phi distance^2)
  ClusterpathOptions path;
  std::string table;  // where a config gives them, "algorithm.odcl": what advice names

  void options(Options& o);
  KMeansOptions kmeans_options() const;  // of this kind
  bool needs_truth() const { return kind == "convex" && lambda_rule == "interval"; }
  bool finds_count() const { return kind == "convex" || count != "given"; }
};

struct Clustering {
  std::vector<std::uint32_t> labels;  // of the points, numbered in the order of first points
  std::size_t groups = 0;
  std::optional<double> lambda;  // convex only
  std::vector<PathStep> path;    // by clusterpath only
  std::optional<double> gap;     // its certificate: the relative duality gap
  bool converged = true;         // convex: the gap met its tolerance; else groups may be too large
  bool pairs = true;             // convex: over all pairs, so that condition (13) speaks of it
  Separability separability;
};

// `k` groups, unless the options find their number. `truth`, a label for each point, is read only when the
// options need it. Diameters of groups that condition (13) speaks of are exact for convex clustering and for
// a few thousand points, else bounded. Throws Error when a coordinate is not finite.
Clustering cluster(const Points& points, std::size_t k, const ClusteringOptions& options,
                   std::span<const std::uint32_t> truth, Stream& stream);

}  // namespace coterie
