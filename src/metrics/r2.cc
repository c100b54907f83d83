// r2: the share of the targets' variance that is predicted,
//   1 - sum of squared errors / sum of squared distances of the targets to their mean.
// 0 for the mean itself, below 0 for what is worse. The mean is that of the rows in question: of a client for
// the client's own figure, of all for the figure over all. None where all targets are equal.
//
// Clients tell (n, mean, M2); two such lots together have
//   M2 = M2_a + M2_b + (mean_a - mean_b)^2 n_a n_b / (n_a + n_b),
// which holds for targets of any size, where sums of squares would lose them. It has no unit.
#include "metrics/row_metric.h"

namespace coterie {
namespace {

class RSquared : public RowMetric {
 public:
  std::vector<std::string> reports() const override { return {"errors", "target_spread"}; }
  std::optional<Figure> figure() const override { return Figure{"r2", Task::regression}; }
  double over(const Evaluation& evaluation, std::span<const ClientScore* const> clients) const override {
    const Reported errors(evaluation, "errors");
    const Reported spread(evaluation, "target_spread");
    double samples = 0;
    double mean = 0;
    double squares = 0;  // M2
    double missed = 0;
    for (const ClientScore* score : clients) {
      if (score->samples <= 0) continue;
      const auto error = errors.of(*score);
      const auto targets = spread.of(*score);
      if (error.empty() || targets.empty()) return kNoFigure;
      missed += error[1];
      const double gap = targets[0] - mean;
      const double both = samples + score->samples;
      squares += targets[1] + gap * gap * samples * score->samples / both;
      mean += gap * score->samples / both;
      samples = both;
    }
    return squares > 0 ? 1 - missed / squares : kNoFigure;
  }
};

const Registration<Metric> kRSquared{"r2", "share of the targets' variance that is predicted",
                                     [] { return std::make_unique<RSquared>(); }};

}  // namespace
}  // namespace coterie
