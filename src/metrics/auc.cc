// auc: the area under the ROC curve: the share of pairs, one row of a class and one row of another, in which
// the first has the higher probability of that class; a tie counts half. Two classes: of the second class.
// More: the mean over classes that have such pairs, one against the rest.
//
// A client's own is exact. Over several clients it is made of histograms of the scores, which clients tell:
// rows of one bin count as ties, which moves it by less than 1e-3 unless all scores lie within 0.04 of each
// other in log odds, or 0.16 with more than two classes. It compares scores of different clients, and so of
// different models. None where all rows are of one class.
#include "coterie/methods/score.h"
#include "metrics/row_metric.h"

namespace coterie {
namespace {

struct Bin {
  double others = 0;
  double own = 0;
};

// Bins ascending by score. NaN without pairs.
double area(std::span<const Bin> bins) {
  double below = 0;
  double own = 0;
  double pairs = 0;
  for (const Bin& bin : bins) {
    pairs += bin.own * (below + bin.others / 2);
    below += bin.others;
    own += bin.own;
  }
  return pairs / (own * below);
}

class Auc : public RowMetric {
 public:
  std::vector<std::string> reports() const override { return {"auc", "score_histogram", "class_counts"}; }
  std::optional<Figure> figure() const override { return Figure{"auc", Task::classification}; }
  double over(const Evaluation& evaluation, std::span<const ClientScore* const> clients) const override {
    if (clients.size() == 1) {
      const auto own = Reported(evaluation, "auc").of(*clients[0]);
      return own.empty() ? kNoFigure : own[0];
    }
    return pooled(evaluation, clients);
  }

 private:
  static double pooled(const Evaluation& evaluation, std::span<const ClientScore* const> clients) {
    const Reported histogram(evaluation, "score_histogram");
    Shape shape;
    shape.classes = sum_over(evaluation, clients, "class_counts").size() / 3;
    if (shape.classes == 0) return kNoFigure;
    const std::size_t bins = score_bins(shape);
    std::vector<Bin> all(score_classes(shape) * bins);
    for (const ClientScore* score : clients) {
      if (score->samples <= 0) continue;
      const auto told = histogram.of(*score);
      if (told.empty()) return kNoFigure;
      for (std::size_t i = 0; i < told.size(); i += 3) {
        Bin& bin = all[static_cast<std::size_t>(told[i])];
        bin.others += told[i + 1];
        bin.own += told[i + 2];
      }
    }
    double sum = 0;
    double classes = 0;
    for (std::size_t begin = 0; begin < all.size(); begin += bins) {
      const double one = area(std::span(all).subspan(begin, bins));
      if (std::isnan(one)) continue;
      sum += one;
      classes += 1;
    }
    return classes > 0 ? sum / classes : kNoFigure;
  }
};

const Registration<Metric> kAuc{"auc",
                                "area under the ROC curve; more than two classes: one against the rest",
                                [] { return std::make_unique<Auc>(); }};

}  // namespace
}  // namespace coterie
