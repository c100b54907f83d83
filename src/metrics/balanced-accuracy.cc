// balanced_accuracy: the mean over classes of the share of a class's rows that are predicted right,
//   mean over classes c that have rows  right_c / rows_c.
// 1 / classes for a model that always says the same, however rare the others are.
#include "metrics/row_metric.h"

namespace coterie {
namespace {

class BalancedAccuracy : public RowMetric {
 public:
  std::vector<std::string> reports() const override { return {"class_counts"}; }
  std::optional<Figure> figure() const override { return Figure{"balanced_accuracy", Task::classification}; }
  double over(const Evaluation& evaluation, std::span<const ClientScore* const> clients) const override {
    const Vec counts = sum_over(evaluation, clients, "class_counts");
    const std::size_t classes = counts.size() / 3;
    double sum = 0;
    double met = 0;
    for (std::size_t c = 0; c < classes; ++c) {
      if (counts[c] == 0) continue;
      sum += counts[2 * classes + c] / counts[c];
      met += 1;
    }
    return met > 0 ? sum / met : kNoFigure;
  }
};

const Registration<Metric> kBalancedAccuracy{"balanced-accuracy",
                                             "mean over classes of the share of right predictions",
                                             [] { return std::make_unique<BalancedAccuracy>(); }};

}  // namespace
}  // namespace coterie
