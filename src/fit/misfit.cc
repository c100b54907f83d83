#include "fit/misfit.h"

#include <cmath>

namespace coterie {
namespace {

// P(|T| >= |t|) of Student's t with so many degrees of freedom, by the expansion of Hill (1970).
double t_tail(double t, double freedom) {
  const double z = freedom * std::log1p(t * t / freedom);
  const double a = freedom - 0.5, b = 48 * a * a;
  const double y = std::sqrt(a * z / freedom);
  const double normal = y + (y * y * y + 3 * y) / b;
  return std::erfc(normal / std::sqrt(2.0));
}

}  // namespace

Misfit find_misfit(const Vec& scores) {
  double sum = 0, squares = 0, counted = 0;
  for (const double s : scores) {
    sum += s;
    squares += s * s;
    counted += s != 0 ? 1 : 0;
  }
  Misfit misfit;
  if (counted < 4 || !(squares > 0)) return misfit;
  // The mean of the scores over its error.
  const double mean = sum / counted;
  const double variance = (squares - counted * mean * mean) / (counted - 1);
  misfit.t = variance > 0 ? mean / std::sqrt(variance / counted) : 0;
  misfit.p = t_tail(misfit.t, counted - 1);
  return misfit;
}

}  // namespace coterie
