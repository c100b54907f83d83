// Covariances that borrow strength from each other.
//
// With few rows a client's V_i is itself a guess: too small for some clients, and these then look as if they
// were alone. So clients' variances are moderated (Smyth, 2004, the t-tests of limma): in coordinates where
// the client's curvature is the identity,
//
//   L' V_i L = s_i^2 F_i,   L L' = H_i,  trace F_i = q:   s_i^2 the noise of a row, F_i its shape
//
// s_i^2 becomes a mean of itself (weight: its degrees of freedom d_i = rows - q) and of all clients' (weight
// d0, large where the s_i^2 differ no more than chi-squared noise would), F_i a mean of itself and of all
// clients' shapes, by the same rule. So equal noise is pooled, and noise that differs between clients is not.
#pragma once

#include "coterie/random.h"
#include "groups/estimate.h"

namespace coterie {

struct Moderation {
  double prior_freedom = 0;  // d0; infinite when the s_i^2 differ by chance only
  double prior_variance = 0;
  double own_shape =
      0;      // of what is not noise in shapes: the mean squared distance of true shapes to their mean
  Vec shape;  // q x q: their mean
};
Moderation moderation_of(const Estimates& estimates);

// The same estimates with moderated covariances.
struct ModeratedEstimates {
  Estimates estimates;
  double prior_freedom = 0;  // d0
};
ModeratedEstimates moderated(const Estimates& estimates);

// d = rows - q, at least 1.
double noise_freedom(const Estimate& e);

// A covariance as a client would compute it from other rows when `truth` is right: for resamples of the test.
Vec redrawn_covariance(const Estimate& truth, Stream& stream);

}  // namespace coterie
