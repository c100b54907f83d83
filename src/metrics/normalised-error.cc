// normalised_error: how far clients' models are from the parameters that generated their own data, as ODCL
// measures it,
//   mean over training clients i  |w_i - theta_i|^2 / |theta_i|^2.
//
// normalised_error_first: the same over the clients of the first true cluster alone, where the others are
// there to disturb it. For models of clients' own also normalised_error_first_median: the median over those
// clients, which a few that went astray do not move.
//
// Unlike parameter_error it needs no matching and has a figure for personal models. Intercepts, which the
// truth does not have, are dropped. Does not apply when some client's parameters are unknown or it has no
// single model.
#include <algorithm>
#include <cmath>

#include "metrics/scores.h"

namespace coterie {
namespace {

class NormalisedError : public Metric {
 public:
  void measure(const Evaluation& evaluation, Record& out) const override {
    auto first = [](const ClientScore& score) { return score.truth == 0; };
    auto mean_over = [&](auto counts) {
      double sum = 0;
      double clients = 0;
      for (const ClientScore& score : evaluation.scores) {
        if (score.role != Role::train || !counts(score)) continue;
        sum += score.parameter_error;
        clients += 1;
      }
      return clients > 0 ? sum / clients : kNoFigure;
    };
    out.set("normalised_error", mean_over([](const ClientScore&) { return true; }));
    out.set("normalised_error_first", mean_over(first));
    if (!evaluation.personal) return;
    std::vector<double> errors;
    for (const ClientScore& score : evaluation.scores) {
      if (score.role == Role::train && first(score)) errors.push_back(score.parameter_error);
    }
    out.set("normalised_error_first_median", median(std::move(errors)));
  }

 private:
  static double median(std::vector<double> values) {
    const bool known = std::none_of(values.begin(), values.end(), [](double v) { return std::isnan(v); });
    if (values.empty() || !known) return kNoFigure;
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
  }
};

const Registration<Metric> kNormalisedError{
    "normalised-error", "squared distance of clients' models to the parameters that generated their data",
    [] { return std::make_unique<NormalisedError>(); }};

}  // namespace
}  // namespace coterie
