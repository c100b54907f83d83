#include "groups/stability.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "clustering/agreement.h"
#include "clustering/matching.h"
#include "coterie/error.h"
#include "groups/cloud_fit.h"
#include "groups/matrix_views.h"
#include "groups/moderation.h"
#include "groups/projection.h"

namespace coterie {
namespace {

using Labels = std::vector<std::uint32_t>;

// The estimates, each moved a part of the way to a resample's: noise on top of noise, so covariances grow
// too.
Estimates shaken(const Estimates& used, const Vec& resampled, double part) {
  Estimates moved = used;
  for (std::size_t i = 0; i < used.of.size(); ++i) {
    Estimate& e = moved.of[i];
    for (std::size_t j = 0; j < used.width; ++j) e.b[j] += part * (resampled[i * used.width + j] - e.b[j]);
    for (double& v : e.v) v *= 1 + part * part;
  }
  return moved;
}

Labels labels_of(const EmFit& fit) {
  const std::size_t groups = fit.at.share.size();
  Labels labels(fit.membership.size() / groups);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto row = fit.membership.begin() + static_cast<std::ptrdiff_t>(i * groups);
    labels[i] =
        static_cast<std::uint32_t>(std::max_element(row, row + static_cast<std::ptrdiff_t>(groups)) - row);
  }
  return labels;
}

Labels grouped(const Estimates& used, std::size_t groups, const MixtureOptions& options, Stream& stream) {
  const Cloud cloud = project_estimates(used, leading_directions(used, options.directions));
  return labels_of(fit_cloud(cloud, groups, options, stream));
}

// The Jaccard index of each group with the new group it is matched to; no new group is matched twice.
struct Match {
  Vec jaccard;
  std::vector<std::size_t> partner;
};
Match matched(const Labels& labels, const Labels& again, std::size_t groups) {
  Vec both(groups * groups, 0.0), size(groups, 0.0), size_again(groups, 0.0);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    both[labels[i] * groups + again[i]] += 1;
    size[labels[i]] += 1;
    size_again[again[i]] += 1;
  }
  Vec cost(groups * groups, 0.0);
  for (std::size_t k = 0; k < groups; ++k) {
    for (std::size_t l = 0; l < groups; ++l) {
      const double shared = both[k * groups + l], either = size[k] + size_again[l] - shared;
      cost[k * groups + l] = either > 0 ? -shared / either : 0;
    }
  }
  Match match{Vec(groups), assign_least_sum(cost, groups, groups).column};
  for (std::size_t k = 0; k < groups; ++k) match.jaccard[k] = -cost[k * groups + match.partner[k]];
  return match;
}

double mean_of(const Vec& values) {
  double sum = 0;
  for (double x : values) sum += x;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

Stream stream_of(std::uint64_t seed, std::uint16_t ask, std::size_t number) {
  return Stream(seed,
                {.purpose = Purpose::evidence, .round = static_cast<std::uint32_t>(number), .ask = ask});
}

constexpr std::uint16_t kAgain = 1000, kCutOut = 1001;  // asks; those of the test are numbers of groups

// Mean Jaccard indices of groups that are cut out of one Gaussian continuum, one for each continuum.
Vec cut_out_jaccards(const Estimates& used, std::size_t groups, const StabilityOptions& options,
                     std::uint64_t seed, const Spread& spread) {
  const Cloud cloud = whole_cloud(used);
  const EmFit one = fit_members(cloud, Vec(cloud.count, 1.0), 1, {.iterations = 100});
  const RowMatrixView t = square(one.at.t, used.width);
  const auto q = static_cast<Eigen::Index>(used.width);
  std::vector<RowMatrix> wide, noise;
  for (const Estimate& e : used.of) {
    wide.emplace_back((t + covariance(e)).llt().matrixL());
    noise.emplace_back(covariance(e).llt().matrixL());
  }
  auto add = [&](Vec& b, const std::vector<RowMatrix>& roots, Stream& stream) {
    Eigen::VectorXd z(q);
    for (std::size_t i = 0; i < roots.size(); ++i) {
      stream.normals(std::span(z.data(), used.width));
      Eigen::Map<Eigen::VectorXd>(b.data() + i * used.width, q) += roots[i] * z;
    }
  };
  Vec found(options.cut_outs, 0.0);
  spread_over(spread, options.cut_outs, [&](std::size_t c) {
    Stream stream = stream_of(seed, kCutOut, c);
    Vec b(cloud.b.size(), 0.0);
    add(b, wide, stream);
    Estimates drawn = used;
    for (std::size_t i = 0; i < used.of.size(); ++i) {
      std::copy_n(b.begin() + static_cast<std::ptrdiff_t>(i * used.width), used.width, drawn.of[i].b.begin());
    }
    const Labels labels = grouped(drawn, groups, options.mixture, stream);
    for (std::size_t r = 0; r < options.cut_out_resamples; ++r) {
      Vec again = b;
      add(again, noise, stream);
      const Labels new_labels = grouped(shaken(drawn, again, options.shake), groups, options.mixture, stream);
      found[c] += mean_of(matched(labels, new_labels, groups).jaccard) /
                  static_cast<double>(options.cut_out_resamples);
    }
  });
  return found;
}

// How many groups a resample has, by the critical values of the test. One group is enough where a step was
// not rejected.
std::size_t count_again(const Estimates& used, const std::vector<GroupStep>& steps,
                        const MixtureOptions& options, Stream& stream) {
  const Cloud cloud = project_estimates(used, leading_directions(used, options.directions));
  std::vector<double> reached;
  auto likelihood = [&](std::size_t groups) {
    while (reached.size() < groups) {
      reached.push_back(fit_cloud(cloud, reached.size() + 1, options, stream).log_likelihood);
    }
    return reached[groups - 1];
  };
  const double price = static_cast<double>(cloud.width + 1) * std::log(static_cast<double>(cloud.count));
  for (const GroupStep& step : steps) {
    const double base = likelihood(step.groups);
    const double gain = std::max(2 * (likelihood(step.groups + 1) - base) - price,
                                 2 * (likelihood(step.groups + 2) - base) - 2 * price);
    if (gain <= step.critical) return step.groups;
  }
  return steps.empty() ? 1 : steps.back().groups + 1;
}

}  // namespace

Stability stability_of(const Estimates& estimates, const GroupMixture& groups,
                       const std::vector<GroupStep>& steps, const std::vector<Vec>& resampled,
                       const StabilityOptions& options, std::uint64_t seed, const Spread& spread) {
  require_estimates(estimates);
  const std::size_t m = estimates.of.size(), count = groups.groups;
  check(groups.labels.size() == m, "groups are of the same clients");
  Stability result;
  result.resamples = resampled.size();
  result.jaccard.assign(count, 1.0);
  result.stability.assign(count, 1.0);
  result.client_share.assign(m, 1.0);
  result.least = 1;
  if (resampled.empty()) return result;
  const Estimates used = options.mixture.moderate ? moderated(estimates).estimates : estimates;
  std::size_t expected = 1;
  for (const GroupStep& step : steps) expected = step.rejected ? step.groups + 1 : step.groups;

  struct Again {
    Vec jaccard;
    std::vector<bool> same;
    bool same_count = false;
  };
  std::vector<Again> all(resampled.size());
  spread_over(spread, resampled.size(), [&](std::size_t r) {
    check(resampled[r].size() == m * estimates.width, "a resample has an estimate of each client");
    Stream stream = stream_of(seed, kAgain, r);
    const Estimates resample = shaken(used, resampled[r], options.shake);
    const Labels again = grouped(resample, count, options.mixture, stream);
    const Match match = matched(groups.labels, again, count);
    all[r].jaccard = match.jaccard;
    for (std::size_t i = 0; i < m; ++i) all[r].same.push_back(match.partner[groups.labels[i]] == again[i]);
    all[r].same_count = count_again(resample, steps, options.mixture, stream) == expected;
  });
  result.jaccard.assign(count, 0.0);
  result.client_share.assign(m, 0.0);
  for (const Again& one : all) {
    for (std::size_t k = 0; k < count; ++k) result.jaccard[k] += one.jaccard[k];
    for (std::size_t i = 0; i < m; ++i) result.client_share[i] += one.same[i] ? 1 : 0;
    result.same_count += one.same_count ? 1 : 0;
  }
  const double times = static_cast<double>(resampled.size());
  for (double& jaccard : result.jaccard) jaccard /= times;
  for (double& share : result.client_share) share /= times;
  result.same_count /= times;
  if (count == 1) return result;
  result.by_chance = mean_of(cut_out_jaccards(used, count, options, seed, spread));
  for (std::size_t k = 0; k < count; ++k) {
    result.stability[k] = (result.jaccard[k] - result.by_chance) / (1 - std::min(result.by_chance, 0.99));
  }
  result.least = *std::min_element(result.stability.begin(), result.stability.end());
  return result;
}

}  // namespace coterie
