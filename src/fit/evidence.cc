#include "fit/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "coterie/methods/estimates.h"
#include "fit/misfit.h"
#include "run/session.h"

namespace coterie {
namespace {

constexpr double kDiffer = 0.05;    // clients differ
constexpr double kGroups = 0.01;    // there are groups
constexpr double kNoGroups = 0.05;  // above: no groups
constexpr double kStable = 0.6;     // every group's stability, at least
constexpr double kMisfit = 0.01;
constexpr std::size_t kFewest = 12;  // usable clients
constexpr double kAlike = 0.1;       // correlation of neighbouring rows that matters
constexpr double kErrors = 3;        // and is no chance

}  // namespace

std::string answer_name(GroupAnswer answer) {
  return answer == GroupAnswer::yes ? "yes" : answer == GroupAnswer::no ? "no" : "unsure";
}

bool RowOrder::dependent() const { return correlation > kAlike && correlation * std::sqrt(pairs) > kErrors; }

GroupEvidence gather_evidence(const Candidate& candidate, Arena& arena, std::size_t most_groups) {
  Problems problems;
  Config config = read_config(candidate.config, candidate.name, problems);
  problems.raise_if_any();
  const std::unique_ptr<Session> held = arena.session(config);
  Session& session = *held;
  GroupEvidence evidence;
  evidence.model = candidate.model;
  evidence.why_none = why_no_estimates(*config.model);
  if (!evidence.why_none.empty()) {
    judge_groups(evidence);
    return evidence;
  }
  Fleet& fleet = session.fleet();
  const ClientEstimates told = ask_estimates(fleet, session.setting());
  evidence.width = told.width;
  evidence.directions_cut = told.cut;
  evidence.clients = told.clients;
  evidence.too_few = told.too_few.size();
  evidence.least_rows = told.least_rows();
  if (told.clients.size() < 2 || told.width == 0) {
    judge_groups(evidence);
    return evidence;
  }
  const Estimates estimates = estimates_of(told);
  const auto seed = config.seed_bits();
  const Spread spread = [&](std::size_t count, const std::function<void(std::size_t)>& work) {
    fleet.spread(count, work);
  };
  evidence.homogeneity = test_homogeneity(estimates, replicates_of(told), seed);
  GroupTestOptions options;
  options.most = std::max<std::size_t>(2, std::min(most_groups, told.clients.size() / 2));
  const GroupCount count = test_groups(estimates, options, seed, spread);
  evidence.steps = count.steps;
  evidence.groups = count.groups;
  evidence.p = count.p;
  if (told.clients.size() >= 4) {
    const GroupMixture& found = count.groups > 1 ? count.mixture : count.two;
    evidence.labels = found.labels;
    for (std::size_t i = 0; i < found.labels.size(); ++i)
      evidence.sure.push_back(found.membership[i * found.groups + found.labels[i]]);
    double inside = 0;
    for (std::size_t k = 0; k < told.width; ++k) inside += found.inside[k * told.width + k];
    evidence.spread_is_zero = inside <= 1e-12;
    evidence.stability = stability_of(estimates, found, count.steps, told.resampled, {}, seed, spread);
  }
  evidence.misfit = find_misfit(told.misfit);
  evidence.order.pairs = told.neighbours_pairs;
  if (told.neighbours_pairs > 0) evidence.order.correlation = told.neighbours_product / told.neighbours_pairs;
  judge_groups(evidence);
  return evidence;
}

void judge_groups(GroupEvidence& e) {
  const auto answer = [&](GroupAnswer there_are, std::string why) {
    e.there_are = there_are;
    e.why = std::move(why);
  };
  const auto p_text = [](double p) { return p < 0.001 ? "p < 0.001" : fmt::format("p = {:.3f}", p); };
  if (!e.why_none.empty()) return answer(GroupAnswer::unsure, e.why_none);
  if (e.clients.size() < kFewest && e.too_few == 0) {
    return answer(
        GroupAnswer::unsure,
        fmt::format("there {} only {}, and it takes {} to tell groups from chance",
                    e.clients.size() == 1 ? "is" : "are", counted(e.clients.size(), "client"), kFewest));
  }
  if (e.clients.size() < kFewest) {
    return answer(GroupAnswer::unsure,
                  fmt::format("only {} {} the {} rows (with --group: groups of rows) that the tests need; it "
                              "takes {} to tell groups from chance",
                              counted(e.clients.size(), "client"), e.clients.size() == 1 ? "has" : "have",
                              e.least_rows, kFewest));
  }
  if (e.homogeneity.p > kDiffer)
    return answer(GroupAnswer::no,
                  fmt::format("clients differ by no more than noise ({})", p_text(e.homogeneity.p)));
  const bool stable = e.stability.least >= kStable;
  if (e.p > kNoGroups) {
    return answer(
        GroupAnswer::no,
        fmt::format("clients differ by degrees: two groups fit no better than one continuous spread ({})",
                    p_text(e.p)));
  }
  // Where the test alone is not clear, stability decides whether the answer is open.
  if (e.p > kGroups) {
    return answer(
        stable ? GroupAnswer::unsure : GroupAnswer::no,
        fmt::format("the test of one group against two is on the edge ({}), and groups are {}found again "
                    "(stability {:.2f})",
                    p_text(e.p), stable ? "" : "not ", std::max(0.0, e.stability.least)));
  }
  if (e.misfit.p < kMisfit) {
    return answer(
        GroupAnswer::unsure,
        fmt::format(
            "groups fit better than one spread ({}), but so would clients with different inputs where "
            "a straight line does not fit (residuals against predictions: {})",
            p_text(e.p), p_text(e.misfit.p)));
  }
  if (!stable) {
    return answer(
        GroupAnswer::unsure,
        fmt::format("groups fit better than one spread ({}), but are not found again (stability {:.2f})",
                    p_text(e.p), e.stability.least));
  }
  answer(GroupAnswer::yes,
         fmt::format("groups fit better than one spread ({}), and are found again (stability {:.2f})",
                     p_text(e.p), e.stability.least));
}

}  // namespace coterie
