// rmse: the root of the mean squared error, sqrt(mean over rows of (prediction - target)^2), in the target's
// own units.
#include "metrics/row_metric.h"

namespace coterie {
namespace {

class Rmse : public RowMetric {
 public:
  std::vector<std::string> reports() const override { return {"errors"}; }
  std::optional<Figure> figure() const override { return Figure{"rmse", Task::regression, false}; }
  double over(const Evaluation& evaluation, std::span<const ClientScore* const> clients) const override {
    const Reported errors(evaluation, "errors");
    double squares = 0;
    for (const ClientScore* score : clients) {
      if (score->samples <= 0) continue;
      const auto told = errors.of(*score);
      if (told.empty()) return kNoFigure;
      squares += score->unit * score->unit * told[1];
    }
    const double samples = samples_of(clients);
    return samples > 0 ? std::sqrt(squares / samples) : kNoFigure;
  }
};

const Registration<Metric> kRmse{"rmse", "root of the mean squared error, in the target's units",
                                 [] { return std::make_unique<Rmse>(); }};

}  // namespace
}  // namespace coterie
