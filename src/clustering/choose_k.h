// The number of groups of k-means: by silhouette, or at the elbow of the objective (ODCL, Appendix C).
//
// Silhouette: the K, from 2 on, with the largest mean silhouette; the first of equals. It never says 1.
// Elbow: of the objectives J(1) .. J(N), the K that lies farthest below the chord from the first to the last
// (both axes scaled to [0, 1]); the first of equals, and 1 where none lies below. With a threshold, the
// example of the paper instead: the first K from which one more group would lower J by less than threshold *
// J(1). Needs N well beyond the true K; silhouette needs it only to be tried.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "clustering/kmeans.h"
#include "coterie/data.h"
#include "coterie/random.h"

namespace coterie {

// Mean over the points of (b - a) / max(a, b), a the mean distance to the other points of the own group, b
// the least mean distance to those of another (Rousseeuw, 1987): from -1 to 1. 0 for a point alone in its
// group or at distance 0 from all; 0 for one group. O(m^2 d) time, memory for a few hundred rows of
// distances.
double silhouette(const Points& points, std::span<const std::uint32_t> labels);
// Of several groupings, with each distance computed once.
Vec silhouettes(const Points& points, const std::vector<Grouping>& groupings);

// The K at the elbow of objectives of K = 1, 2, ...
std::size_t elbow(std::span<const double> objectives, std::optional<double> threshold = std::nullopt);

struct ChooseKOptions {
  std::string by = "silhouette";  // or "elbow"
  std::int64_t most = 10;         // N: the largest K tried; never more than there are points
  std::optional<double> threshold;
  KMeansOptions kmeans;
};

struct ChosenK {
  std::size_t k = 0;
  Grouping grouping;
  Vec objectives;   // of K = 1 .. N
  Vec silhouettes;  // the same; by silhouette only
};

// Throws Error when a coordinate is not finite.
ChosenK choose_k(const Points& points, const ChooseKOptions& options, Stream& stream);

}  // namespace coterie
