// Small evaluations for tests of metrics.
#pragma once

#include <string>
#include <vector>

#include "coterie/metric.h"

namespace coterie {

inline Record measure(const std::string& metric, const Evaluation& evaluation) {
  Record record;
  Registry<Metric>::instance().make(metric)->measure(evaluation, record);
  return record;
}

// Adds a client; ids count up.
inline void add(Evaluation& evaluation, Role role, std::uint32_t truth, std::uint32_t cluster, double samples,
                double loss, double accuracy) {
  ClientScore score;
  score.client = static_cast<ClientId>(evaluation.scores.size());
  score.role = role;
  score.truth = truth;
  score.cluster = cluster;
  score.samples = samples;
  score.loss = loss;
  score.accuracy = accuracy;
  evaluation.scores.push_back(score);
}

// Adds a client that was asked for one report only.
inline void tell(Evaluation& evaluation, const std::string& report, double samples, Vec values,
                 Role role = Role::train) {
  add(evaluation, role, 0, 0, samples, 0, 0);
  evaluation.reports = {report};
  evaluation.scores.back().told = {std::move(values)};
}

// Training clients in these found and true clusters, one sample each.
inline Evaluation grouped(const std::vector<std::uint32_t>& found, const std::vector<std::uint32_t>& truth) {
  static const Truth kSome{3, {"a", "b", "c"}, {}};
  Evaluation evaluation;
  evaluation.truth = &kSome;
  for (std::size_t i = 0; i < found.size(); ++i) add(evaluation, Role::train, truth[i], found[i], 1, 0, 0);
  return evaluation;
}

}  // namespace coterie
