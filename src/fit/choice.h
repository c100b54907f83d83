// Who wins: the simplest candidate whose loss is within one standard error, over clients, of the best one's.
#pragma once

#include <optional>
#include <vector>

#include "fit/contest.h"

namespace coterie {

// The gain of one trial over another, client by client: what rows lose less, on average over all rows. The
// error is that of a mean over clients that count by their rows (clients are drawn, not rows):
//   g = sum_i n_i d_i / sum_i n_i,   se^2 = m / (m - 1) sum_i n_i^2 (d_i - g)^2 / (sum_i n_i)^2
struct PairedGain {
  double mean = 0;
  double error = 0;  // NaN with fewer than two clients
  std::size_t clients = 0;
  std::size_t better = 0;
  std::size_t worse = 0;
};
// Of `trial` over `other`, over the clients that both judged.
PairedGain gain_over(const FitTrial& trial, const FitTrial& other);

struct FitChoice {
  std::optional<std::size_t> best;    // the lowest loss; none when all failed
  std::optional<std::size_t> chosen;  // the first, in the order of candidates, that is not clearly worse
};

// Whether a candidate's loss is more than kFarOff times that without any column. It is not chosen then,
// unless all are: a failure at one client has a standard error as large as itself, and would count as no
// difference.
inline constexpr double kFarOff = 10;
bool is_far_off(const std::vector<FitTrial>& trials, const FitTrial& one);

// Whether nothing but rounding is left of its loss, beside those of the others.
bool is_exact(const std::vector<FitTrial>& trials, const FitTrial& one);

// Baselines, and methods that are told the truth, are judged but never chosen. Trials are in the order of
// candidates, and may be fewer.
FitChoice choose(const std::vector<Candidate>& candidates, const std::vector<FitTrial>& trials);

}  // namespace coterie
