// log_loss: the mean over rows of  -log(probability of the true class). A probability below 2^-52 counts as
// that. Unlike `loss`, which is the model's own, it is the same figure for every model and method.
#include "metrics/row_metric.h"

namespace coterie {
namespace {

class LogLoss : public RowMetric {
 public:
  std::vector<std::string> reports() const override { return {"log_loss"}; }
  std::optional<Figure> figure() const override { return Figure{"log_loss", Task::classification, false}; }
  double over(const Evaluation& evaluation, std::span<const ClientScore* const> clients) const override {
    const Vec sum = sum_over(evaluation, clients, "log_loss");
    return sum.empty() ? kNoFigure : sum[0] / samples_of(clients);
  }
};

const Registration<Metric> kLogLoss{"log-loss", "mean of -log(probability of the true class)",
                                    [] { return std::make_unique<LogLoss>(); }};

}  // namespace
}  // namespace coterie
