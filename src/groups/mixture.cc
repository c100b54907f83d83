#include "groups/mixture.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "groups/cloud_fit.h"
#include "groups/matrix_views.h"
#include "groups/moderation.h"
#include "groups/projection.h"

namespace coterie {
namespace {

// The likeliest group of each client, the first of equals.
std::vector<std::size_t> likeliest_groups(const Vec& membership, std::size_t groups) {
  std::vector<std::size_t> likeliest;
  for (auto row = membership.begin(); row != membership.end(); row += static_cast<std::ptrdiff_t>(groups)) {
    const auto end = row + static_cast<std::ptrdiff_t>(groups);
    likeliest.push_back(static_cast<std::size_t>(std::max_element(row, end) - row));
  }
  return likeliest;
}

// Groups by what their members are: from the most clients to the fewest, those of equal size by their first
// client, and groups without clients by share. Equal partitions get equal numbers.
std::vector<std::size_t> by_members(const std::vector<std::size_t>& likeliest, const Vec& share) {
  std::vector<std::size_t> size(share.size(), 0), first(share.size(), likeliest.size());
  for (std::size_t i = likeliest.size(); i-- > 0;) {
    ++size[likeliest[i]];
    first[likeliest[i]] = i;
  }
  std::vector<std::size_t> order(share.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (size[a] != size[b]) return size[a] > size[b];
    if (first[a] != first[b]) return first[a] < first[b];
    return share[a] > share[b];
  });
  return order;
}

double least_distance(const GroupMixture& mixture, const Cloud& cloud) {
  const auto q = static_cast<Eigen::Index>(cloud.width);
  Eigen::MatrixXd spread = Eigen::Map<const Eigen::MatrixXd>(mixture.inside.data(), q, q);
  for (std::size_t i = 0; i < cloud.count; ++i) {
    spread += Eigen::Map<const Eigen::MatrixXd>(cloud.v.data() + i * cloud.width * cloud.width, q, q) /
              static_cast<double>(cloud.count);
  }
  const Eigen::LLT<Eigen::MatrixXd> factor(spread);
  const Eigen::Map<const Eigen::MatrixXd> mu(mixture.mu.data(), q, static_cast<Eigen::Index>(mixture.groups));
  double least = std::numeric_limits<double>::infinity();
  for (Eigen::Index k = 0; k < mu.cols(); ++k) {
    for (Eigen::Index l = 0; l < k; ++l) {
      const Eigen::VectorXd away = factor.matrixL().solve(mu.col(k) - mu.col(l));
      least = std::min(least, away.norm());
    }
  }
  return least;
}

}  // namespace

GroupMixture described(const Estimates& estimates, const EmFit& fit, const MixtureOptions& options) {
  const std::size_t m = estimates.of.size(), groups = fit.at.share.size();
  const std::size_t p = fit.at.mu.size() / groups;
  GroupMixture mixture;
  mixture.groups = groups;
  mixture.directions = p;
  mixture.log_likelihood = fit.log_likelihood;
  const double parameters = static_cast<double>(groups - 1 + groups * p) +
                            (options.spread_inside ? static_cast<double>(p * (p + 1)) / 2 : 0);
  mixture.bic = -2 * fit.log_likelihood + parameters * std::log(static_cast<double>(m));
  const std::vector<std::size_t> likeliest = likeliest_groups(fit.membership, groups);
  const std::vector<std::size_t> order = by_members(likeliest, fit.at.share);
  std::vector<std::uint32_t> number(groups);
  mixture.membership.resize(m * groups);
  for (std::size_t k = 0; k < groups; ++k) {
    number[order[k]] = static_cast<std::uint32_t>(k);
    mixture.share.push_back(fit.at.share[order[k]]);
    for (std::size_t i = 0; i < m; ++i) {
      mixture.membership[i * groups + k] = fit.membership[i * groups + order[k]];
    }
  }
  for (const std::size_t k : likeliest) mixture.labels.push_back(number[k]);
  const Cloud cloud = whole_cloud(estimates);
  const EmFit inside =
      fit_members(cloud, mixture.membership, groups,
                  {.iterations = 100, .tolerance = 1e-4, .spread_inside = options.spread_inside});
  mixture.mu = inside.at.mu;
  mixture.inside = inside.at.t;
  mixture.apart = least_distance(mixture, cloud);
  return mixture;
}

GroupMixture fit_mixture(const Estimates& estimates, std::size_t groups, const MixtureOptions& options,
                         Stream& stream) {
  require_estimates(estimates);
  const Estimates used = options.moderate ? moderated(estimates).estimates : estimates;
  const Cloud cloud = project_estimates(used, leading_directions(used, options.directions));
  return described(used, fit_cloud(cloud, groups, options, stream), options);
}

}  // namespace coterie
