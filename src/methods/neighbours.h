// What a client tells of its rows' dependence: how its residuals go with those of the next row in its file.
#pragma once

#include <Eigen/Core>

#include "coterie/data.h"
#include "data/lots.h"

namespace coterie {

// The autocorrelation of a client is product / pairs; sums of both over clients are that of all. About 0
// where rows are independent, with a standard error of 1 / sqrt(pairs).
struct Neighbours {
  double product = 0;  // sum over pairs of <e_j, e_next> / mean of |e|^2
  double pairs = 0;    // neighbours in the file that are of different lots
};

// `residuals`: scores x rows; taken about their mean, since a client's level says nothing of its rows' order.
// No pairs where rows have no order (Samples::places), or no residuals.
Neighbours compare_neighbours(const Eigen::MatrixXd& residuals, const Samples& rows, const Lots& lots);

}  // namespace coterie
