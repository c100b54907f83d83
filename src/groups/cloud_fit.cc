#include "groups/cloud_fit.h"

#include <Eigen/Dense>
#include <algorithm>
#include <vector>

#include "clustering/kmeans.h"
#include "groups/mixture.h"

namespace coterie {
namespace {

constexpr std::size_t kShortIterations = 5;
constexpr std::size_t kLongClimbs = 2;

// Shares and means of these groups, and T from what is left inside of them beyond noise.
MixtureParameters parameters_of(const Cloud& cloud, const Grouping& groups, std::size_t count) {
  const auto p = static_cast<Eigen::Index>(cloud.width);
  const double m = static_cast<double>(cloud.count);
  MixtureParameters at;
  at.share.assign(count, 0.0);
  at.mu = groups.centres;
  Eigen::MatrixXd inside = Eigen::MatrixXd::Zero(p, p), noise = Eigen::MatrixXd::Zero(p, p);
  for (std::size_t i = 0; i < cloud.count; ++i) {
    const std::size_t k = groups.labels[i];
    at.share[k] += 1;
    const Eigen::VectorXd away = Eigen::Map<const Eigen::VectorXd>(cloud.b.data() + i * cloud.width, p) -
                                 Eigen::Map<const Eigen::VectorXd>(at.mu.data() + k * cloud.width, p);
    inside += away * away.transpose() / m;
    noise += Eigen::Map<const Eigen::MatrixXd>(cloud.v.data() + i * cloud.width * cloud.width, p, p) / m;
  }
  // A group without clients still gets a small share.
  for (double& s : at.share) s = (s + 0.5) / (m + 0.5 * static_cast<double>(count));
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(inside - noise);
  const double least = 0.01 * noise.trace() / static_cast<double>(p);
  const Eigen::MatrixXd t = eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(least).asDiagonal() *
                            eigen.eigenvectors().transpose();
  at.t.assign(t.data(), t.data() + t.size());
  return at;
}

}  // namespace

EmFit fit_cloud(const Cloud& cloud, std::size_t groups, const MixtureOptions& options, Stream& stream) {
  const Points points{cloud.b, cloud.count, cloud.width};
  const KMeansOptions once{.restarts = 1, .iterations = 10};
  const EmOptions brief{.iterations = kShortIterations, .spread_inside = options.spread_inside};
  const EmOptions full{.iterations = options.iterations, .spread_inside = options.spread_inside};
  std::vector<EmFit> fits;
  for (std::size_t s = 0; s < (groups == 1 ? 1 : options.starts); ++s) {
    fits.push_back(climb(cloud, parameters_of(cloud, kmeans(points, groups, once, stream), groups),
                         groups == 1 ? full : brief));
  }
  if (groups == 1) return fits.front();
  std::stable_sort(fits.begin(), fits.end(),
                   [](const EmFit& a, const EmFit& b) { return a.log_likelihood > b.log_likelihood; });
  EmFit best;
  for (std::size_t s = 0; s < std::min(kLongClimbs, fits.size()); ++s) {
    EmFit fit = climb(cloud, fits[s].at, full);
    if (s == 0 || fit.log_likelihood > best.log_likelihood) best = std::move(fit);
  }
  return best;
}

}  // namespace coterie
