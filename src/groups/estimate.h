// What a client tells of its own model, once: an estimate of its coefficients and how sure it is.
//
// All clients use the same q coordinates. The statistics in this room know nothing else about clients: no
// rows, no models, no fleet.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "coterie/data.h"

namespace coterie {

struct Estimate {
  Vec b;  // q numbers: the client's coefficients
  Vec v;  // q x q, row by row: the sandwich covariance of b, H^-1 M H^-1, from residuals e / sqrt(1 - h)
          // (HC2: right on average under equal noise; HC3 is too wide by about n / (n - q))
  Vec curvature;  // q x q: H, the curvature summed over rows (X'X for a linear model). May be empty: then
                  // clients' inputs are taken to be alike
  double rows = 0;
};

struct Estimates {
  std::vector<Estimate> of;  // in the order of client ids, which is the order of all sums
  std::size_t width = 0;     // q
};

// How work on `count` independent items is shared out, for example by Fleet::spread. Results do not depend on
// it. Empty: one after the other.
using Spread = std::function<void(std::size_t count, const std::function<void(std::size_t)>& work)>;
void spread_over(const Spread& spread, std::size_t count, const std::function<void(std::size_t)>& work);

// Throws Error when a number is not finite, a size is wrong or a covariance is not positive definite; `of`
// is the place of the client in the text.
void require_estimates(const Estimates& estimates);

}  // namespace coterie
