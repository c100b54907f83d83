#include "groups/homogeneity.h"

#include <algorithm>
#include <cmath>
#include <unsupported/Eigen/SpecialFunctions>
#include <vector>

#include "coterie/error.h"
#include "groups/em.h"
#include "groups/matrix_views.h"
#include "groups/null_draws.h"

namespace coterie {
namespace {

constexpr std::size_t kDraws = 199;
constexpr std::uint16_t kHomogeneity = 1002;  // ask; those of the test for groups are numbers of groups

// The share of the true coefficients' spread in all spread, by the one-group mixture.
double share_of_spread(const Estimates& estimates) {
  const Cloud cloud = whole_cloud(estimates);
  const EmFit fit = fit_members(cloud, Vec(cloud.count, 1.0), 1, {.iterations = 100});
  double inside = 0, noise = 0;
  for (std::size_t c = 0; c < cloud.width; ++c) {
    inside += fit.at.t[c * cloud.width + c];
    for (const Estimate& e : estimates.of) {
      noise += e.v[c * cloud.width + c] / static_cast<double>(cloud.count);
    }
  }
  return inside / (inside + noise);
}

constexpr double kRowsEach = 3;  // rows for each coefficient that signs of residuals need

double median_rows(const Estimates& estimates) {
  Vec rows;
  for (const Estimate& e : estimates.of) rows.push_back(e.rows);
  const auto middle = rows.begin() + static_cast<std::ptrdiff_t>(rows.size() / 2);
  std::nth_element(rows.begin(), middle, rows.end());
  return *middle;
}

struct Cochran {
  RowMatrix precision;  // sum of V_i^-1
  Eigen::VectorXd mean;
  double statistic = 0;
};
Cochran cochran(const Estimates& estimates) {
  const auto q = static_cast<Eigen::Index>(estimates.width);
  Cochran result{RowMatrix::Zero(q, q), {}, 0};
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(q);
  std::vector<Eigen::LLT<RowMatrix>> factors;
  for (const Estimate& e : estimates.of) {
    factors.emplace_back(covariance(e));
    result.precision += factors.back().solve(RowMatrix::Identity(q, q));
    sum += factors.back().solve(coefficients(e));
  }
  result.mean = result.precision.llt().solve(sum);
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const Eigen::VectorXd away = coefficients(estimates.of[i]) - result.mean;
    result.statistic += away.dot(factors[i].solve(away));
  }
  return result;
}

double drawn_p(const Estimates& estimates, std::uint64_t seed) {
  const ModeratedEstimates used = moderated(estimates);
  const Cochran own = cochran(used.estimates);
  const NullDraws null(used, {{1.0}, Vec(own.mean.data(), own.mean.data() + own.mean.size()), {}}, true);
  std::size_t reached = 0;
  for (std::size_t r = 0; r < kDraws; ++r) {
    Stream stream(
        seed, {.purpose = Purpose::evidence, .round = static_cast<std::uint32_t>(r), .ask = kHomogeneity});
    if (cochran(null.draw(stream)).statistic >= own.statistic) ++reached;
  }
  return static_cast<double>(reached + 1) / static_cast<double>(kDraws + 1);
}

}  // namespace

double chi2_tail(double statistic, double freedom) {
  return Eigen::numext::igammac(0.5 * freedom, 0.5 * std::max(0.0, statistic));
}

Homogeneity test_homogeneity(const Estimates& estimates, const Replicates& replicates, std::uint64_t seed) {
  require_estimates(estimates);
  const std::size_t m = estimates.of.size(), width = estimates.width;
  check(replicates.sums.size() == replicates.count * (width + 1), "a replicate has q + 1 sums");
  const auto q = static_cast<Eigen::Index>(width);
  Homogeneity result;
  result.mean.assign(width, 0.0);
  if (m == 0) return result;
  const Cochran own = cochran(estimates);
  result.mean.assign(own.mean.data(), own.mean.data() + q);
  if (m < 2) return result;
  result.statistic = own.statistic;
  result.freedom = static_cast<double>(width * (m - 1));
  result.p_chi2 = chi2_tail(result.statistic, result.freedom);
  result.replicates = replicates.count;
  double typical = result.freedom;
  if (replicates.count > 0) {
    const Eigen::LLT<RowMatrix> factor(own.precision);
    Vec drawn;
    std::size_t reached = 0;
    for (std::size_t r = 0; r < replicates.count; ++r) {
      const double* sums = replicates.sums.data() + r * (width + 1);
      const VectorView weighted(sums, q);
      drawn.push_back(sums[width] - weighted.dot(factor.solve(weighted)));
      if (drawn.back() >= result.statistic) ++reached;
    }
    result.p_wild = static_cast<double>(reached + 1) / static_cast<double>(replicates.count + 1);
    const auto middle = drawn.begin() + static_cast<std::ptrdiff_t>(drawn.size() / 2);
    std::nth_element(drawn.begin(), middle, drawn.end());
    typical = *middle;
  }
  if (result.statistic > 0) result.beyond_noise = std::max(0.0, 1 - typical / result.statistic);
  result.p_drawn = drawn_p(estimates, seed);
  const bool wild = replicates.count > 0 && median_rows(estimates) >= kRowsEach * static_cast<double>(width);
  result.p = wild ? result.p_wild : result.p_drawn;
  result.spread_share = share_of_spread(moderated(estimates).estimates);
  return result;
}

}  // namespace coterie
