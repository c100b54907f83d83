// brier: the Brier score, the mean over rows of the squared distance between probabilities and truth,
//   sum over classes c  (p_c - [c is the true class])^2,
// and half of that for two classes, which is (p_1 - y)^2.
#include "metrics/row_metric.h"

namespace coterie {
namespace {

class Brier : public RowMetric {
 public:
  std::vector<std::string> reports() const override { return {"brier", "class_counts"}; }
  std::optional<Figure> figure() const override { return Figure{"brier", Task::classification, false}; }
  double over(const Evaluation& evaluation, std::span<const ClientScore* const> clients) const override {
    const Vec sum = sum_over(evaluation, clients, "brier");
    const bool two = sum_over(evaluation, clients, "class_counts").size() == 3 * 2;
    return sum.empty() ? kNoFigure : sum[0] / samples_of(clients) / (two ? 2 : 1);
  }
};

const Registration<Metric> kBrier{"brier", "mean squared error of the probabilities",
                                  [] { return std::make_unique<Brier>(); }};

}  // namespace
}  // namespace coterie
