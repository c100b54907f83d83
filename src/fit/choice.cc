#include "fit/choice.h"

#include <cmath>
#include <limits>

namespace coterie {
namespace {

constexpr double kRounding = 1e-9;  // of the loss without any column: less tells nothing

// The baseline, which comes first, sees no column, so that it cannot be far off; others may be.
double usual_loss(const std::vector<FitTrial>& trials) {
  for (const FitTrial& trial : trials) {
    if (!trial.failed() && !trial.clients.empty() && std::isfinite(trial.mean_loss()))
      return trial.mean_loss();
  }
  return 0;
}

}  // namespace

PairedGain gain_over(const FitTrial& trial, const FitTrial& other) {
  PairedGain gain;
  std::vector<std::pair<double, double>> pairs;  // rows, gain
  std::size_t at = 0;
  double rows = 0, sum = 0;
  for (const ClientLoss& one : trial.clients) {
    while (at < other.clients.size() && other.clients[at].client < one.client) ++at;
    if (at == other.clients.size()) break;
    if (other.clients[at].client != one.client || one.rows <= 0) continue;
    const double less = other.clients[at].loss / other.clients[at].rows - one.loss / one.rows;
    pairs.emplace_back(one.rows, less);
    rows += one.rows;
    sum += one.rows * less;
    gain.better += less > 0 ? 1 : 0;
    gain.worse += less < 0 ? 1 : 0;
  }
  gain.clients = pairs.size();
  if (pairs.empty()) return gain;
  gain.mean = sum / rows;
  double squares = 0;
  for (const auto& [n, less] : pairs) squares += n * n * (less - gain.mean) * (less - gain.mean);
  const auto m = static_cast<double>(pairs.size());
  gain.error = m > 1 ? std::sqrt(m / (m - 1) * squares) / rows : std::numeric_limits<double>::quiet_NaN();
  return gain;
}

bool is_exact(const std::vector<FitTrial>& trials, const FitTrial& one) {
  return one.mean_loss() < kRounding * usual_loss(trials);
}

bool is_far_off(const std::vector<FitTrial>& trials, const FitTrial& one) {
  const double usual = usual_loss(trials);
  return usual > 0 && one.mean_loss() > kFarOff * usual;
}

FitChoice choose(const std::vector<Candidate>& candidates, const std::vector<FitTrial>& trials) {
  FitChoice choice;
  bool far_too = false;
  const auto competes = [&](std::size_t i) {
    return !trials[i].failed() && !trials[i].clients.empty() && !trials[i].knows_truth &&
           candidates[i].answer != Answer::baseline && std::isfinite(trials[i].mean_loss()) &&
           (far_too || !is_far_off(trials, trials[i]));
  };
  const auto look_for_best = [&] {
    for (std::size_t i = 0; i < trials.size(); ++i) {
      if (competes(i) && (!choice.best || trials[i].mean_loss() < trials[*choice.best].mean_loss()))
        choice.best = i;
    }
  };
  look_for_best();
  if (!choice.best) {  // perhaps all are
    far_too = true;
    look_for_best();
  }
  if (!choice.best) return choice;
  const double rounding = kRounding * usual_loss(trials);
  for (std::size_t i = 0; i < trials.size() && !choice.chosen; ++i) {
    if (!competes(i)) continue;
    if (i == *choice.best) choice.chosen = i;
    const PairedGain lost = gain_over(trials[*choice.best], trials[i]);
    if ((lost.clients > 1 && lost.mean <= lost.error) || lost.mean <= rounding) choice.chosen = i;
  }
  return choice;
}

}  // namespace coterie
