// mae: the mean absolute error, the mean over rows of |prediction - target|, in the target's own units.
#include "metrics/row_metric.h"

namespace coterie {
namespace {

class MeanAbsoluteError : public RowMetric {
 public:
  std::vector<std::string> reports() const override { return {"errors"}; }
  std::optional<Figure> figure() const override { return Figure{"mae", Task::regression, false}; }
  double over(const Evaluation& evaluation, std::span<const ClientScore* const> clients) const override {
    const Reported errors(evaluation, "errors");
    double sum = 0;
    for (const ClientScore* score : clients) {
      if (score->samples <= 0) continue;
      const auto told = errors.of(*score);
      if (told.empty()) return kNoFigure;
      sum += score->unit * told[0];
    }
    const double samples = samples_of(clients);
    return samples > 0 ? sum / samples : kNoFigure;
  }
};

const Registration<Metric> kMeanAbsoluteError{"mae", "mean absolute error, in the target's units",
                                              [] { return std::make_unique<MeanAbsoluteError>(); }};

}  // namespace
}  // namespace coterie
