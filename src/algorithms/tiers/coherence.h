// ICFL's way to split a cluster (Yan, Tong and Wang, 2023): its coherence is how much of the similarities
// between its members' updates one direction explains, and a bar that rises from round to round says how much
// is wanted. What falls short is divided by 2-means where the similarities vary most.
//
//   coherence    alpha_G = sigma_max(A) / n,  A the n x n cosine similarities: 1 when all are parallel
//   bar          alpha_t = 1 - (e / eps1)^(t / eps2),  eps2 = ln(1 - alpha0) / (1 - ln eps1)
//
// The bar rises to 1, so in the end every cluster is a single client: choose when to stop by the number of
// rounds, or take the round that serves best.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "coterie/data.h"
#include "coterie/random.h"

namespace coterie {

double coherence(std::span<const double> similarities, std::size_t count);

// Needs eps1 > e and 0 < alpha0 < 1: a larger alpha0 raises the bar more slowly. 0 in round 0.
double coherence_bar(std::uint32_t round, double alpha0, double eps1);

// Each member as a point of the plane: its entries in the two leading singular vectors of A, count x 2, each
// vector with the sign that makes its entry of largest size positive. The public code takes the first two
// entries of every vector instead (rows for columns), which belong to two clients.
Vec leading_plane(std::span<const double> similarities, std::size_t count);

// 0 or 1 for each member, the first in part 0; all in part 0 where their points are equal. count >= 2.
std::vector<std::uint32_t> coherent_parts(std::span<const double> similarities, std::size_t count,
                                          Stream& stream);

}  // namespace coterie
