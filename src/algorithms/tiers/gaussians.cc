#include "algorithms/tiers/gaussians.h"

#include <algorithm>
#include <cmath>

#include "coterie/error.h"
#include "math/elementary.h"
#include "math/kernels.h"

namespace coterie {
namespace {

constexpr double kLogTwoPi = 1.8378770664093454836;

PositiveFactor factor_of(const Gaussian& gaussian) {
  std::optional<PositiveFactor> factor = PositiveFactor::of(gaussian.covariance, gaussian.mean.size());
  if (!factor) throw Error("a Gaussian's covariance is not positive definite");
  return *std::move(factor);
}

}  // namespace

LogDensity::LogDensity(const Gaussian& gaussian) : mean_(gaussian.mean), factor_(factor_of(gaussian)) {
  const std::size_t width = mean_.size();
  for (std::size_t i = 0; i < width; ++i) constant_ -= logarithm(factor_.diagonal(i));
  constant_ -= 0.5 * kLogTwoPi * static_cast<double>(width);
}

double LogDensity::operator()(std::span<const double> z) const {
  Vec rest(z.begin(), z.end());
  add_scaled(-1.0, mean_, rest);
  factor_.solve_lower(rest);
  return constant_ - 0.5 * squared_norm(std::span<const double>(rest));
}

std::size_t moment_size(std::size_t width) { return 1 + width + width * width; }

void add_moments(double weight, std::span<const double> z, std::span<double> moments) {
  const std::size_t width = z.size();
  moments[0] += weight;
  add_scaled(weight, z, moments.subspan(1, width));
  for (std::size_t i = 0; i < width; ++i) {
    add_scaled(weight * z[i], z, moments.subspan(1 + width + i * width, width));
  }
}

Gaussian fitted(std::span<const double> moments, const Gaussian& otherwise, double ridge, double u,
                double least) {
  const std::size_t width = otherwise.mean.size();
  check(moments.size() == moment_size(width), "moments of another width");
  const double total = moments[0];
  if (!(total >= least)) return otherwise;
  Gaussian out{Vec(width), Vec(width * width)};
  for (std::size_t i = 0; i < width; ++i) out.mean[i] = moments[1 + i] / total;
  double trace = 0;
  for (std::size_t i = 0; i < width; ++i) trace += moments[1 + width + i * width + i] / total;
  const double added = std::max(ridge, 8 * u * trace);
  for (std::size_t i = 0; i < width; ++i) {
    for (std::size_t j = 0; j < width; ++j) {
      out.covariance[i * width + j] =
          moments[1 + width + i * width + j] / total - out.mean[i] * out.mean[j] + (i == j ? added : 0);
    }
  }
  return out;
}

bool possible_moments(std::span<const double> moments, std::size_t width, double ridge, double u) {
  // Of points that hardly count numbers may have lost their digits: they must hardly count either.
  constexpr double kHardlyAny = 1e-30, kHardlyAnything = 1e-10;
  if (!(moments[0] >= 0)) return false;
  if (moments[0] < kHardlyAny) {
    return std::all_of(moments.begin(), moments.end(),
                       [](double m) { return std::fabs(m) < kHardlyAnything; });
  }
  const Gaussian own = fitted(moments, {Vec(width), {}}, ridge / 2, u, 0);
  return PositiveFactor::of(own.covariance, width).has_value();
}

}  // namespace coterie
