// Krum's order of points (Blanchard, El Mhamdi, Guerraoui and Stainer, 2017): those first that have others
// near them.
#pragma once

#include <cstddef>
#include <vector>

#include "coterie/data.h"
#include "math/points.h"

namespace coterie {

// The sum of squared distances of each of n points to its n - liars - 2 nearest others: at least one, at most
// all. The choice of the least is safe for n >= 2 liars + 3. A single point scores 0. Scores have nine digits
// (distances.h).
Vec krum_scores(const Points& points, std::size_t liars);

// The points by score, the first of equals first: scores that agree to nine digits are found again from plain
// differences of points, so that exact ties are ties. Throws Error when a coordinate is not finite.
std::vector<std::size_t> krum_order(const Points& points, std::size_t liars);

}  // namespace coterie
