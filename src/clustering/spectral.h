// Spectral k-means (Awasthi and Sheffet, 2012; ODCL, Algorithm 2): k-means where the data varies most, and
// Lloyd's algorithm from what that finds.
//
//   Part I    the points, projected on the space of the top K singular vectors of their matrix, are grouped
//   Part II   means of the core of each group: projected points three times nearer to its centre than to any
//             other
//   Part III  Lloyd's algorithm on the points themselves, from these means
//
// Choose it for noisy points of many dimensions, where most of a distance is noise; part I alone is cheaper
// and misplaces few points where groups are less clear (ODCL, Theorem 3).
//
// Differs from the paper: the approximation of k-means in part I is k-means++ with restarts, whose factor of
// 10 is not proven for each run; a group whose core is empty keeps the mean of all its points.
#pragma once

#include <cstddef>
#include <cstdint>

#include "clustering/kmeans.h"
#include "coterie/options.h"
#include "coterie/random.h"

namespace coterie {

struct SpectralOptions {
  bool refine = true;  // parts II and III too
  KMeansOptions kmeans;

  void options(Options& o);
};

// Coordinates of the points in the space of their matrix's top `rank` right singular vectors, not centred:
// count x min(rank, count, width). By subspace iteration from random directions, whose coordinates need not
// be those along single vectors. Distances between them are those between the projected points.
Vec project(const Points& points, std::size_t rank, Stream& stream);

// Centres are means in the space of the points, also of part I alone; the objective is theirs. Throws Error
// when a coordinate is not finite.
Grouping spectral_kmeans(const Points& points, std::size_t k, const SpectralOptions& options, Stream& stream);

}  // namespace coterie
