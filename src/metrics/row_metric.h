// The base of metrics that are one figure of scored rows: for a client, for several together, for the worst.
#pragma once

#include "metrics/scores.h"

namespace coterie {

// Writes NAME (all training clients together), NAME_worst (the worst of them) and test_NAME (unseen clients,
// or the shared test sets when there are none).
class RowMetric : public Metric {
 public:
  bool basic() const override { return false; }
  void measure(const Evaluation& evaluation, Record& out) const override {
    const Figure what = *figure();
    const RowFigures found = row_figures(*this, evaluation);
    out.set(what.name, found.mean);
    out.set(what.name + "_worst", found.worst);
    out.set("test_" + what.name, found.test);
  }
};

// What the clients told of one report.
class Reported {
 public:
  Reported(const Evaluation& evaluation, const char* name) {
    for (; place_ < evaluation.reports.size() && evaluation.reports[place_] != name; ++place_) {
    }
  }
  // Nothing when it was not asked for or is not finite.
  std::span<const double> of(const ClientScore& score) const {
    return place_ < score.told.size() ? std::span<const double>(score.told[place_])
                                      : std::span<const double>{};
  }

 private:
  std::size_t place_ = 0;
};

// Adds up what clients with samples told, number by number. Nothing when one of them did not tell, or none
// has samples.
inline Vec sum_over(const Evaluation& evaluation, std::span<const ClientScore* const> clients,
                    const char* name) {
  const Reported reported(evaluation, name);
  Vec sums;
  for (const ClientScore* score : clients) {
    if (score->samples <= 0) continue;
    const std::span<const double> told = reported.of(*score);
    if (told.empty()) return {};
    sums.resize(told.size(), 0.0);
    for (std::size_t i = 0; i < told.size(); ++i) sums[i] += told[i];
  }
  return sums;
}

inline double samples_of(std::span<const ClientScore* const> clients) {
  double samples = 0;
  for (const ClientScore* score : clients) samples += score->samples;
  return samples;
}

}  // namespace coterie
