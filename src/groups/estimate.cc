#include "groups/estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "coterie/error.h"
#include "math/positive.h"

namespace coterie {
namespace {

bool all_finite(const Vec& values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

}  // namespace

void spread_over(const Spread& spread, std::size_t count, const std::function<void(std::size_t)>& work) {
  if (spread) {
    spread(count, work);
  } else {
    for (std::size_t i = 0; i < count; ++i) work(i);
  }
}

void require_estimates(const Estimates& estimates) {
  const std::size_t q = estimates.width;
  check(q > 0, "estimates have a width");
  for (std::size_t i = 0; i < estimates.of.size(); ++i) {
    const Estimate& e = estimates.of[i];
    if (e.b.size() != q || e.v.size() != q * q || (!e.curvature.empty() && e.curvature.size() != q * q)) {
      throw Error(fmt::format("estimate {}: expected {} coefficients and {} x {} matrices", i, q, q, q));
    }
    if (!all_finite(e.b) || !all_finite(e.v) || !all_finite(e.curvature) || !(e.rows > 0)) {
      throw Error(fmt::format("estimate {} has a number that is not finite, or no rows", i));
    }
    if (!PositiveFactor::of(e.v, q) || (!e.curvature.empty() && !PositiveFactor::of(e.curvature, q))) {
      throw Error(fmt::format("estimate {}: its covariance or curvature is not positive definite", i));
    }
  }
}

}  // namespace coterie
