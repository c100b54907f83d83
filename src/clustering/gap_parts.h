// Whether vectors fall into groups, and into how many, without a threshold that has units: lengths do not
// matter, only cosines do.
//
// Let z_i be n vectors of length one, m their mean, and l_1 >= l_2 >= ... the eigenvalues of the covariance
// (1/n) sum_i (z_i - m)(z_i - m)'. K groups spread their means over K - 1 directions, and noise spreads over
// all:
//
//   gap        l_{K-1} / l_K, the largest over K = 2 ... n/3: there the eigenvalues fall from groups to noise
//   apart      l_1 + ... + l_{K-1}: how far groups pull apart
//   together   |m|^2: how far everybody pulls the same way
//
// There are groups where gap >= least and apart >= together. The latter is CFL's condition, a mean update
// that is short beside long updates, as a ratio. Alone, neither will do: label skew of a few classes has
// gaps, and noise has no common way to pull. A vector of zeros has no direction, and counts as one at a right
// angle to all others.
//
// Lengths count too where inner products are given in place of cosines: then l and |m|^2 have their unit, and
// only their ratios are used.
//
// In few dimensions (a linear model of three columns has four) noise has gaps of its own, and behind the last
// dimension there is nothing at all. Where n vectors have fewer than n - 1 dimensions, l_{K-1} has to exceed
// what the groups leave of the spread in their directions too, by direction, and by four times as much. This
// does not rule out chance: of 200 clouds without groups, of 12 / 20 / 40 vectors, such a gap had 26 / 14 /
// 10 % in two dimensions, 9 / 5 / 6 % in three, 5 / 1 / 3 % in four, and at most 1.5 % in seven and twelve.
//
// K groups whose means lie in fewer than K - 1 directions (four in a plane) are taken for fewer.
//
// The groups are those of K-means in the K - 1 directions; who would be alone joins the nearest group of two
// or more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "coterie/data.h"
#include "coterie/random.h"

namespace coterie {

struct GapParts {
  std::size_t count = 1;              // K; 1: no groups
  std::vector<std::uint32_t> labels;  // of each vector, numbered in the order of their first members
  double gap = 0;
  double apart = 0;
  double together = 0;
};

// From the cosines of all pairs, n x n. gap, apart and together are told where there are no groups too: those
// of the K with the largest gap. Fewer than six vectors have none.
GapParts gap_parts(std::span<const double> cosines, std::size_t n, double least, Stream& stream);

// The same where it is known that there are K groups, 2 <= K < n: in them as soon as apart >= together,
// whatever the gap.
GapParts known_parts(std::span<const double> cosines, std::size_t n, std::size_t count, Stream& stream);

}  // namespace coterie
