// What FedMD (inits/fedmd) must know of the data before it can begin: in which units its numbers are, and
// alpha and beta, between which the eigenvalues of the inputs' second moments lie.
#pragma once

#include <vector>

#include "coterie/algorithm.h"
#include "inits/fedmd/anchors.h"
#include "inits/fedmd/clients.h"
#include "inits/fedmd/options.h"
#include "math/singular.h"

namespace coterie {

// The median of what the anchors find; 1 of an anchor whose numbers cannot be used or are all 0. Sums are
// exact only near the sizes that they are set up for.
SizesReply find_sizes(const InitContext& context, const AnchorDescent& descent);

// As given. What is not: of a regression the extreme eigenvalues of the second moments of all inputs of the
// cohort, alpha at least a tenth of beta; of other losses 1. The gradient of a regression is affine in the
// model, so what it gains from 0 to v is a product of the second moments by v: that is what clients are asked
// for, 13 times.
Extremes find_curvature(const InitContext& context, const FedMdOptions& options, std::vector<ClientId> cohort,
                        double slope);

}  // namespace coterie
