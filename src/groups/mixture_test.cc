#include "groups/mixture_test.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "coterie/error.h"
#include "groups/cloud_fit.h"
#include "groups/moderation.h"
#include "groups/null_draws.h"
#include "groups/projection.h"

namespace coterie {
namespace {

constexpr std::size_t kBatch = 20;  // resamples between two looks at whether to stop

constexpr std::size_t kAhead = 2;  // groups more that a step tries

struct Gain {
  double statistic = 0;
  EmFit less, more;  // with K and K + 1 groups
};

// The whole procedure on estimates whose covariances are moderated already.
Gain gain_of_more(const Estimates& used, std::size_t groups, const MixtureOptions& options, Stream& stream) {
  const Cloud cloud = project_estimates(used, leading_directions(used, options.directions));
  const double price = static_cast<double>(cloud.width + 1) * std::log(static_cast<double>(cloud.count));
  Gain gain;
  gain.less = fit_cloud(cloud, groups, options, stream);
  for (std::size_t more = 1; more <= kAhead; ++more) {
    EmFit fit = fit_cloud(cloud, groups + more, options, stream);
    const double value =
        2 * (fit.log_likelihood - gain.less.log_likelihood) - static_cast<double>(more) * price;
    gain.statistic = more == 1 ? value : std::max(gain.statistic, value);
    if (more == 1) gain.more = std::move(fit);
  }
  return gain;
}

// The value that at most a share `level` of what was drawn reaches.
double critical_value(Vec drawn, double level) {
  std::sort(drawn.begin(), drawn.end(), std::greater<>());
  const double place = level * static_cast<double>(drawn.size() + 1);
  const std::size_t at = place < 1 ? 0 : static_cast<std::size_t>(place) - 1;
  return drawn[std::min(at, drawn.size() - 1)];
}

GroupStep step_test(const ModeratedEstimates& used, const GroupMixture& null, double statistic,
                    const GroupTestOptions& options, std::uint64_t seed, const Spread& spread) {
  GroupStep step;
  step.groups = null.groups;
  step.statistic = statistic;
  const double level = null.groups == 1 ? options.level : options.level_more;
  const std::size_t resamples = null.groups == 1 ? options.resamples : options.resamples_more;
  // Once so many are at least as large, no further resample can bring p below the level.
  const auto enough =
      static_cast<std::size_t>(std::max(5.0, std::floor(level * static_cast<double>(resamples + 1)) + 1));
  const NullDraws null_draws(used, {null.share, null.mu, null.inside}, options.mixture.moderate);
  Vec drawn;
  std::size_t reached = 0;
  while (drawn.size() < resamples && reached < enough) {
    const std::size_t begin = drawn.size();
    Vec batch(std::min(kBatch, resamples - begin));
    spread_over(spread, batch.size(), [&](std::size_t j) {
      Stream stream(seed, {.purpose = Purpose::evidence,
                           .round = static_cast<std::uint32_t>(begin + j + 1),
                           .ask = static_cast<std::uint16_t>(null.groups)});
      const Estimates resample = null_draws.draw(stream);
      batch[j] = gain_of_more(resample, null.groups, options.mixture, stream).statistic;
    });
    for (std::size_t j = 0; j < batch.size() && reached < enough; ++j) {
      drawn.push_back(batch[j]);
      if (batch[j] >= statistic) ++reached;
    }
  }
  step.resamples = drawn.size();
  step.stopped_early = drawn.size() < resamples;
  step.p = step.stopped_early ? static_cast<double>(reached) / static_cast<double>(drawn.size())
                              : static_cast<double>(reached + 1) / static_cast<double>(drawn.size() + 1);
  step.critical = critical_value(drawn, level);
  step.rejected = step.p <= level;
  return step;
}

}  // namespace

GroupCount test_groups(const Estimates& estimates, const GroupTestOptions& options, std::uint64_t seed,
                       const Spread& spread) {
  require_estimates(estimates);
  check(options.resamples > 0 && options.resamples_more > 0, "a test needs resamples");
  const ModeratedEstimates moderate =
      options.mixture.moderate ? moderated(estimates) : ModeratedEstimates{estimates};
  const Estimates& used = moderate.estimates;
  GroupCount count;
  const std::size_t most = used.of.size() < 4 ? 1 : options.most;
  for (std::size_t groups = 1; groups <= most; ++groups) {
    Stream stream(seed, {.purpose = Purpose::evidence, .ask = static_cast<std::uint16_t>(groups)});
    Gain gain = gain_of_more(used, groups, options.mixture, stream);
    count.groups = groups;
    count.mixture = described(used, gain.less, options.mixture);
    if (groups == 1) count.two = described(used, gain.more, options.mixture);
    if (groups == most) break;
    count.steps.push_back(step_test(moderate, count.mixture, gain.statistic, options, seed, spread));
    if (groups == 1) count.p = count.steps.front().p;
    if (!count.steps.back().rejected) break;
  }
  return count;
}

}  // namespace coterie
