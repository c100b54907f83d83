// Reading scores: which clients a figure is about, and means over them by samples.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "clustering/agreement.h"
#include "coterie/metric.h"

namespace coterie {

// The figure of what does not apply.
inline constexpr double kNoFigure = std::numeric_limits<double>::quiet_NaN();

// A mean weighted by samples; NaN over no samples.
class MeanBySamples {
 public:
  void add(const ClientScore& score, double value) {
    if (score.samples <= 0) return;  // nothing to score on: its value means nothing
    sum_ += score.samples * value;
    samples_ += score.samples;
  }
  double value() const { return samples_ > 0 ? sum_ / samples_ : kNoFigure; }

 private:
  double sum_ = 0;
  double samples_ = 0;
};

inline double mean_by_samples(const std::vector<ClientScore>& scores, Role role, double ClientScore::*value) {
  MeanBySamples mean;
  for (const ClientScore& score : scores) {
    if (score.role == role) mean.add(score, score.*value);
  }
  return mean.value();
}

// Over data that nobody trained on: the unseen clients, or the shared test sets when there are none.
inline double test_mean(const Evaluation& evaluation, double ClientScore::*value) {
  for (const ClientScore& score : evaluation.scores) {
    if (score.role == Role::unseen) return mean_by_samples(evaluation.scores, Role::unseen, value);
  }
  return mean_by_samples(evaluation.scores, Role::test, value);
}

// The clients of a role that have samples to be scored on.
inline std::vector<const ClientScore*> scored(const Evaluation& evaluation, Role role) {
  std::vector<const ClientScore*> clients;
  for (const ClientScore& score : evaluation.scores) {
    if (score.role == role && score.samples > 0) clients.push_back(&score);
  }
  return clients;
}

// The figure of a metric: over all training clients, of the worst of them (the first of equals), and over
// data that nobody trained on.
struct RowFigures {
  double mean = kNoFigure;
  double worst = kNoFigure;
  std::optional<ClientId> worst_client;
  double test = kNoFigure;
};

inline RowFigures row_figures(const Metric& metric, const Evaluation& evaluation) {
  const std::optional<Metric::Figure> what = metric.figure();
  RowFigures out;
  if (!what || what->task.value_or(evaluation.task) != evaluation.task) return out;
  const std::vector<const ClientScore*> training = scored(evaluation, Role::train);
  out.mean = metric.over(evaluation, training);
  for (const ClientScore* const& score : training) {
    const double own = metric.over(evaluation, {&score, 1});
    const bool worse = what->higher_is_better ? own < out.worst : own > out.worst;
    if (!std::isfinite(own) || (out.worst_client && !worse)) continue;
    out.worst = own;
    out.worst_client = score->client;
  }
  const std::vector<const ClientScore*> unseen = scored(evaluation, Role::unseen);
  out.test = metric.over(evaluation, unseen.empty() ? scored(evaluation, Role::test) : unseen);
  return out;
}

// Whether there are clusters to recover: one true cluster of all who are judged is the same as none known.
inline bool has_true_clusters(const Evaluation& evaluation) {
  if (evaluation.truth == nullptr || evaluation.truth->clusters < 2) return false;
  std::optional<std::uint32_t> first;
  for (const ClientScore& score : evaluation.scores) {
    if (score.role != Role::train) continue;
    if (first && *first != score.truth) return true;
    first = score.truth;
  }
  return false;
}

// Found against true clusters of the training clients. Empty, so that every agreement is NaN, when there is
// nothing to recover or found clusters mean nothing.
inline Contingency training_contingency(const Evaluation& evaluation) {
  std::vector<std::uint32_t> found;
  std::vector<std::uint32_t> truth;
  if (has_true_clusters(evaluation) && evaluation.has_clusters()) {
    for (const ClientScore& score : evaluation.scores) {
      if (score.role != Role::train) continue;
      found.push_back(score.cluster);
      truth.push_back(score.truth);
    }
  }
  return contingency(found, truth);
}

}  // namespace coterie
