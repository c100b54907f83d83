#include "groups/projection.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "groups/matrix_views.h"

namespace coterie {
Projection leading_directions(const Estimates& estimates, std::size_t most) {
  const auto q = static_cast<Eigen::Index>(estimates.width);
  const std::size_t m = estimates.of.size();
  // Typical noise: the harmonic mean, which clients with little noise decide.
  Eigen::MatrixXd precision = Eigen::MatrixXd::Zero(q, q);
  for (const Estimate& e : estimates.of) {
    precision += covariance(e).llt().solve(Eigen::MatrixXd::Identity(q, q));
  }
  precision /= static_cast<double>(m);
  Vec weights;
  double total = 0;
  for (const Estimate& e : estimates.of) {
    weights.push_back(1 / (1 + precision.cwiseProduct(covariance(e)).sum() / static_cast<double>(q)));
    total += weights.back();
  }
  Eigen::VectorXd mean = Eigen::VectorXd::Zero(q);
  for (std::size_t i = 0; i < m; ++i) mean += weights[i] / total * coefficients(estimates.of[i]);
  Eigen::MatrixXd spread = Eigen::MatrixXd::Zero(q, q), noise = Eigen::MatrixXd::Zero(q, q);
  for (std::size_t i = 0; i < m; ++i) {
    const Eigen::VectorXd away = coefficients(estimates.of[i]) - mean;
    spread += weights[i] / total * away * away.transpose();
    noise += weights[i] / total * covariance(estimates.of[i]);
  }
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> eigen(spread, noise);
  Projection result{.width = estimates.width, .directions = 0, .x = {}, .lambda = {}};
  const double root = 1 + std::sqrt(static_cast<double>(q) / static_cast<double>(m));
  for (Eigen::Index j = q - 1; j >= 0; --j) {
    const double lambda = eigen.eigenvalues()(j);
    result.lambda.push_back(lambda);
    if (result.directions == std::min(most, kMostDirections)) continue;
    if (result.directions > 0 && lambda <= root * root) continue;
    const Eigen::VectorXd x = eigen.eigenvectors().col(j);
    result.x.insert(result.x.end(), x.data(), x.data() + q);
    ++result.directions;
  }
  return result;
}

Cloud project_estimates(const Estimates& estimates, const Projection& onto) {
  const auto q = static_cast<Eigen::Index>(onto.width), p = static_cast<Eigen::Index>(onto.directions);
  const RowMatrixView x(onto.x.data(), p, q);
  Cloud cloud{.count = estimates.of.size(), .width = onto.directions, .b = {}, .v = {}};
  for (const Estimate& e : estimates.of) {
    const Eigen::VectorXd b = x * coefficients(e);
    const Eigen::MatrixXd v = x * covariance(e) * x.transpose();
    cloud.b.insert(cloud.b.end(), b.data(), b.data() + p);
    cloud.v.insert(cloud.v.end(), v.data(), v.data() + p * p);
  }
  return cloud;
}

}  // namespace coterie
