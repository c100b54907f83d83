// majority: the share of the most frequent class among the rows, the accuracy of always saying that class.
// An accuracy that is not above it means that nothing was learnt that counts. The worst client is the one
// whose rows are the least one-sided.
#include <algorithm>

#include "metrics/row_metric.h"

namespace coterie {
namespace {

class Majority : public RowMetric {
 public:
  std::vector<std::string> reports() const override { return {"class_counts"}; }
  std::optional<Figure> figure() const override { return Figure{"majority", Task::classification}; }
  double over(const Evaluation& evaluation, std::span<const ClientScore* const> clients) const override {
    const Vec counts = sum_over(evaluation, clients, "class_counts");
    const auto classes = static_cast<std::ptrdiff_t>(counts.size() / 3);
    if (classes == 0) return kNoFigure;
    return *std::max_element(counts.begin(), counts.begin() + classes) / samples_of(clients);
  }
};

const Registration<Metric> kMajority{"majority", "accuracy of always saying the most frequent class",
                                     [] { return std::make_unique<Majority>(); }};

}  // namespace
}  // namespace coterie
