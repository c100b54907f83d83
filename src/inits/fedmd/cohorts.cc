#include "inits/fedmd/cohorts.h"

#include <fmt/format.h>

#include <algorithm>

namespace coterie {
namespace {

constexpr std::uint16_t kCohortAsk = 16;  // of the server's streams

}  // namespace

Cohorts::Cohorts(const InitContext& context, const FedMdOptions& options,
                 const std::vector<ClientId>& anchors)
    : seed_(context.setting.seed), fresh_(options.fresh()) {
  const auto rounds = static_cast<std::size_t>(options.rounds);
  std::size_t unable = 0;
  for (const ClientId i : context.fleet.everyone()) {
    const bool anchor = std::binary_search(anchors.begin(), anchors.end(), i);
    if (context.fleet.samples(i) < 2) {
      ++unable;
    } else if (!fresh_ || !anchor) {
      able_.push_back(i);
    }
  }
  if (unable > 0) {
    context.fleet.report(
        {0,
         "no-pairs",
         {},
         fmt::format("{} clients have a single training sample, so no pair: they take no part in "
                     "moment descent",
                     unable),
         {{"clients", static_cast<double>(unable)}}});
  }
  const std::size_t most = fresh_ ? able_.size() / rounds : able_.size();
  size_ = options.cohort ? static_cast<std::size_t>(*options.cohort) : most;
  if (size_ == 0 || size_ > most) {
    throw Error(fmt::format(
        "clusters.init = \"fedmd\": {} clients can be asked{}, but {} are wanted in each of {} rounds; set "
        "clusters.fedmd.cohort, fewer rounds, or data = \"reuse\"",
        able_.size(), fresh_ ? ", each in one round" : "", std::max<std::size_t>(size_, 1), rounds));
  }
  Stream once(seed_, {Purpose::cohort, 0, kCohortAsk, 0});
  if (fresh_) order_ = once.permutation(able_.size());
}

std::vector<ClientId> Cohorts::of(std::uint32_t t) const {
  Stream anew(seed_, {Purpose::cohort, t, kCohortAsk, 0});
  const std::vector<std::uint32_t> drawn =
      fresh_ ? std::vector<std::uint32_t>() : anew.sample(able_.size(), size_);
  std::vector<ClientId> cohort;
  for (std::size_t j = 0; j < size_; ++j)
    cohort.push_back(able_[fresh_ ? order_[(t - 1) * size_ + j] : drawn[j]]);
  std::sort(cohort.begin(), cohort.end());
  return cohort;
}

}  // namespace coterie
