// Minima of smooth functions: L-BFGS (Liu and Nocedal, 1989), and spectral projected gradients (Birgin,
// Martinez and Raydan, 2000) on a ball. Near a minimum, where differences of values drown in rounding, steps
// are judged by slopes instead (the approximate Wolfe conditions of Hager and Zhang, 2005), so that small
// tolerances can be met.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "coterie/data.h"

namespace coterie {

// Sets the gradient and returns the value.
using Smooth = std::function<double(std::span<const double> x, std::span<double> gradient)>;

struct MinimiseOptions {
  // Stop when |gradient| <= tolerance * max(1, |gradient at the start|). On a ball: the step of length 1
  // along the gradient, projected back, takes its place.
  double tolerance = 1e-8;
  std::size_t iterations = 500;
};

struct Minimum {
  Vec x;
  double value = 0;
  double gradient = 0;  // its length
  std::size_t iterations = 0;
  bool converged = false;  // else: out of iterations, or steps led no further down
};

// A stationary point downhill from the start; of a convex function, the minimum. `stop` may end it early; it
// hears the value after each step.
Minimum minimise(const Smooth& f, Vec start, const MinimiseOptions& options = {},
                 const std::function<bool(double value)>& stop = nullptr);

// The same under |x| <= radius.
Minimum minimise_in_ball(const Smooth& f, Vec start, double radius, const MinimiseOptions& options = {});

// Shortens x to the radius where it is longer.
void project_on_ball(double radius, std::span<double> x);

}  // namespace coterie
