// f1: macro F1, the mean over classes of the harmonic mean of precision and recall,
//   mean over classes c that have rows or predictions  2 right_c / (rows_c + predicted_c).
#include "metrics/row_metric.h"

namespace coterie {
namespace {

class MacroF1 : public RowMetric {
 public:
  std::vector<std::string> reports() const override { return {"class_counts"}; }
  std::optional<Figure> figure() const override { return Figure{"f1", Task::classification}; }
  double over(const Evaluation& evaluation, std::span<const ClientScore* const> clients) const override {
    const Vec counts = sum_over(evaluation, clients, "class_counts");
    const std::size_t classes = counts.size() / 3;
    double sum = 0;
    double met = 0;
    for (std::size_t c = 0; c < classes; ++c) {
      const double both = counts[c] + counts[classes + c];
      if (both == 0) continue;
      sum += 2 * counts[2 * classes + c] / both;
      met += 1;
    }
    return met > 0 ? sum / met : kNoFigure;
  }
};

const Registration<Metric> kMacroF1{"f1", "macro F1: mean over classes of precision and recall in one number",
                                    [] { return std::make_unique<MacroF1>(); }};

}  // namespace
}  // namespace coterie
