// Normal distributions with full covariance: densities, and what must be summed over samples to fit them.
#pragma once

#include <cstddef>
#include <span>

#include "coterie/detail/archive.h"
#include "math/positive.h"

namespace coterie {

struct Gaussian {
  Vec mean;
  Vec covariance;  // row by row

  void fields(Archive& a) { a(mean, covariance); }
};

// log N(z; mean, covariance), with the covariance factored once. Throws Error when it is not positive
// definite.
class LogDensity {
 public:
  explicit LogDensity(const Gaussian& gaussian);
  double operator()(std::span<const double> z) const;

 private:
  Vec mean_;
  PositiveFactor factor_;  // of the covariance
  double constant_ = 0;
};

// Weighted moments of points:  sum w,  sum w z,  sum w z z',  in one vector, so that those of several clients
// can be added; and the Gaussian that fits them best. A total weight below `least` leaves the Gaussian as it
// was; `ridge` is added to the diagonal of the covariance, which keeps it positive definite.
//
// Moments that were rounded to within a share u of each number leave the covariance wrong by up to
// 6 u trace(mean of z z'), a difference of large numbers where points are far from 0; rounding the covariance
// adds another. Where the ridge is less than 8 u trace, that is added instead.
std::size_t moment_size(std::size_t width);
void add_moments(double weight, std::span<const double> z, std::span<double> moments);
Gaussian fitted(std::span<const double> moments, const Gaussian& otherwise, double ridge, double u = 0,
                double least = 1e-6);
// Whether they can be those of points: a Gaussian fits them, with half of the ridge. So do sums of such.
bool possible_moments(std::span<const double> moments, std::size_t width, double ridge, double u = 0);

}  // namespace coterie
