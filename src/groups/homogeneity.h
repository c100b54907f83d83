// Do clients differ? Cochran's Q for vectors, the test that econometrics calls slope homogeneity (Swamy,
// 1970) or poolability:
//
//   Q = sum_i (b_i - b)' V_i^-1 (b_i - b),    b = (sum_i V_i^-1)^-1 sum_i V_i^-1 b_i   (the GLS mean)
//
// is chi-squared with q (m - 1) degrees of freedom when m clients share one b and the V_i are exact. They are
// not exact where clients have few rows, so Q is compared with what it is under the null in replicates that
// clients make from their own residuals (wild bootstrap).
#pragma once

#include <cstddef>
#include <cstdint>

#include "groups/estimate.h"

namespace coterie {

// For each replicate, sums over the clients: client i draws a deviation d of its estimate under the null,
// with the covariance V that it would then compute, and adds the q numbers V^-1 d and the number d' V^-1 d.
struct Replicates {
  std::size_t count = 0;
  Vec sums;  // count x (q + 1)
};

struct Homogeneity {
  Vec mean;              // b
  double statistic = 0;  // Q
  double freedom = 0;    // q (m - 1)
  double p_chi2 = 1;     // by the chi-squared distribution: too small where rows are few
  double p_drawn = 1;    // by 199 draws of b_i and V_i at the server, Q from moderated covariances
  double p_wild = 1;     // by the replicates: (1 + those with a Q at least as large) / (1 + replicates)
  double p = 1;          // p_wild where there are replicates and the median client has 3 q rows: it needs no
                         // Gaussian noise, but rows; otherwise p_drawn
  std::size_t replicates = 0;
  double beyond_noise = 0;  // max(0, 1 - median Q of the replicates / Q): Higgins and Thompson's I^2
  double spread_share = 0;  // trace T / trace (T + mean V), T = the spread of clients' true coefficients
};

// With fewer than two clients there is nothing to test: p is 1.
Homogeneity test_homogeneity(const Estimates& estimates, const Replicates& replicates = {},
                             std::uint64_t seed = 0);

// P(X >= statistic) of a chi-squared X.
double chi2_tail(double statistic, double freedom);

}  // namespace coterie
