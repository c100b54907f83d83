#include "groups/moderation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unsupported/Eigen/SpecialFunctions>
#include <vector>

#include "groups/matrix_views.h"

namespace coterie {
namespace {

double trigamma(double x) { return Eigen::numext::polygamma(1.0, x); }

// The x with trigamma(x) = y (Newton on 1 / trigamma, which is nearly a line).
double inverse_trigamma(double y) {
  double x = 0.5 + 1 / y;
  for (int step = 0; step < 50; ++step) {
    const double value = trigamma(x);
    const double move = value * (1 - value / y) / Eigen::numext::polygamma(2.0, x);
    x += move;
    if (std::abs(move) < 1e-10 * x) break;
  }
  return x;
}

// A client's noise in coordinates where its curvature is the identity.
struct OwnNoise {
  RowMatrix lower;      // L
  RowMatrix shape;      // F
  double variance = 0;  // s^2
  double freedom = 0;   // d
};

// Without curvatures: rows times one curvature for all, the inverse of the mean of rows V.
RowMatrix common_curvature(const Estimates& estimates) {
  const auto q = static_cast<Eigen::Index>(estimates.width);
  RowMatrix mean = RowMatrix::Zero(q, q);
  for (const Estimate& e : estimates.of) mean += e.rows * covariance(e);
  mean /= static_cast<double>(estimates.of.size());
  return mean.llt().solve(RowMatrix::Identity(q, q));
}

OwnNoise noise_of(const Estimate& e, const RowMatrix& common) {
  const auto q = static_cast<Eigen::Index>(e.b.size());
  const RowMatrix curvature =
      e.curvature.empty() ? RowMatrix(e.rows * common) : RowMatrix(square(e.curvature, e.b.size()));
  OwnNoise noise;
  noise.lower = curvature.llt().matrixL();
  noise.shape = noise.lower.transpose() * covariance(e) * noise.lower;
  noise.variance = noise.shape.trace() / static_cast<double>(q);
  noise.shape /= noise.variance;
  noise.freedom = noise_freedom(e);
  return noise;
}

std::vector<OwnNoise> noises_of(const Estimates& estimates) {
  const bool without = std::any_of(estimates.of.begin(), estimates.of.end(),
                                   [](const Estimate& e) { return e.curvature.empty(); });
  const RowMatrix common = without ? common_curvature(estimates) : RowMatrix();
  std::vector<OwnNoise> all;
  for (const Estimate& e : estimates.of) all.push_back(noise_of(e, common));
  return all;
}

// Shapes of d degrees of freedom are so far from the true one, squared, when rows' noise is Gaussian.
double chance_distance(double width, double freedom) { return 2 * width * width / freedom; }

Moderation learnt(const std::vector<OwnNoise>& all, std::size_t width) {
  const double q = static_cast<double>(width), m = static_cast<double>(all.size());
  Moderation prior;
  // The logarithms of the s_i^2, freed of the bias of a chi-squared's.
  double mean = 0, chance = 0;
  Vec logs;
  for (const OwnNoise& one : all) {
    const double half = one.freedom / 2;
    logs.push_back(std::log(one.variance) - Eigen::numext::digamma(half) + std::log(half));
    mean += logs.back() / m;
    chance += trigamma(half) / m;
  }
  double spread = 0;
  for (double x : logs) spread += (x - mean) * (x - mean) / std::max(1.0, m - 1);
  if (spread - chance > 1e-6) {
    const double half = inverse_trigamma(spread - chance);
    prior.prior_freedom = 2 * half;
    prior.prior_variance = std::exp(mean + Eigen::numext::digamma(half) - std::log(half));
  } else {
    prior.prior_freedom = std::numeric_limits<double>::infinity();
    prior.prior_variance = std::exp(mean);
  }
  RowMatrix shape = RowMatrix::Zero(static_cast<Eigen::Index>(width), static_cast<Eigen::Index>(width));
  double weight = 0;
  for (const OwnNoise& one : all) {
    shape += one.freedom * one.shape;
    weight += one.freedom;
  }
  shape /= weight;
  double beyond = 0;
  for (const OwnNoise& one : all) {
    beyond += one.freedom * ((one.shape - shape).squaredNorm() - chance_distance(q, one.freedom));
  }
  prior.own_shape = std::max(0.0, beyond / weight);
  prior.shape.assign(shape.data(), shape.data() + shape.size());
  return prior;
}

}  // namespace

double noise_freedom(const Estimate& e) { return std::max(1.0, e.rows - static_cast<double>(e.b.size())); }

Moderation moderation_of(const Estimates& estimates) { return learnt(noises_of(estimates), estimates.width); }

ModeratedEstimates moderated(const Estimates& estimates) {
  const auto q = static_cast<Eigen::Index>(estimates.width);
  const std::vector<OwnNoise> all = noises_of(estimates);
  const Moderation prior = learnt(all, estimates.width);
  const RowMatrixView common = square(prior.shape, estimates.width);
  ModeratedEstimates result{estimates, prior.prior_freedom};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const OwnNoise& own = all[i];
    const double d0 = prior.prior_freedom;
    const double variance =
        std::isinf(d0) ? prior.prior_variance
                       : (d0 * prior.prior_variance + own.freedom * own.variance) / (d0 + own.freedom);
    const double chance = chance_distance(static_cast<double>(q), own.freedom);
    const double trust = prior.own_shape / (prior.own_shape + chance);
    const RowMatrix shape = variance * (trust * own.shape + (1 - trust) * common);
    const auto upper = own.lower.transpose().triangularView<Eigen::Upper>();
    const RowMatrix half = upper.solve(shape);
    const RowMatrix v = upper.solve(RowMatrix(half.transpose()));
    Eigen::Map<RowMatrix>(result.estimates.of[i].v.data(), q, q) = 0.5 * (v + v.transpose());
  }
  return result;
}

Vec redrawn_covariance(const Estimate& truth, Stream& stream) {
  const double freedom = noise_freedom(truth);
  const double factor = 2 * stream.gamma(freedom / 2) / freedom;
  Vec v = truth.v;
  for (double& x : v) x *= factor;
  return v;
}

}  // namespace coterie
