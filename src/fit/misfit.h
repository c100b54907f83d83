// Does the model's form fit? A test of what clients told (methods/misfit_score.h).
#pragma once

#include "fit/evidence.h"

namespace coterie {

// Without misfit the clients' scores s_i have mean 0, whatever the noise: their mean over its error follows
// Student's t. Clients that could not tell (0) do not count; fewer than four say nothing.
Misfit find_misfit(const Vec& scores);

}  // namespace coterie
