// Cosines of angles between vectors: how alike directions are, whatever the lengths. A vector of zeros has no
// direction: its cosine is 0 with any other vector, and 1 with another of zeros.
#pragma once

#include <span>

#include "coterie/data.h"
#include "math/points.h"

namespace coterie {

// From -1 to 1.
double cosine_similarity(std::span<const double> a, std::span<const double> b);

// Of all pairs: count x count, symmetric to the bit, 1 on the diagonal.
Vec cosine_similarities(const Points& points);

// 1 - similarity, from 0 to 2, with a diagonal of zeros.
Vec cosine_distances(const Points& points);

}  // namespace coterie
