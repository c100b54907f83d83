// What a client tells of its model's form: residuals of its own fit against its squared scores, in the manner
// of Ramsey's RESET.
#pragma once

#include <span>

#include "coterie/data.h"
#include "coterie/model.h"

namespace coterie {

//   s = sum_j r_j c_j :  r_j the residual of row j (target less prediction, of every class), c_j its squared
// score less what the client's own columns explain of it. Without misfit s has mean 0, whatever the noise.
// 0 where the rows are too few to tell.
double misfit_score(const Model& model, std::span<const double> w, const Batch<double>& all);

}  // namespace coterie
