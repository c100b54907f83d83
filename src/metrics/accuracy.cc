// accuracy: share of right classes on the training clients' own held-out parts, by samples.
// accuracy_std, accuracy_min: deviation over clients, each counting once, and the worst client.
// worst_cluster: the lowest accuracy, by samples, of a true cluster's training clients; none when there is
// one true cluster only, or none is known. test_accuracy: over unseen clients, or over the shared test sets
// when there are none, by samples.
//
// Regression has none of these.
#include <algorithm>
#include <cmath>
#include <map>

#include "metrics/scores.h"

namespace coterie {
namespace {

struct Spread {
  double deviation = kNoFigure;
  double least = kNoFigure;
};

Spread spread_over_clients(const Evaluation& evaluation) {
  std::vector<double> values;
  for (const ClientScore& score : evaluation.scores) {
    if (score.role == Role::train && score.samples > 0) values.push_back(score.accuracy);
  }
  if (values.empty()) return {};
  double mean = 0;
  for (double value : values) mean += value / static_cast<double>(values.size());
  double square = 0;
  for (double value : values) square += (value - mean) * (value - mean);
  return {std::sqrt(square / static_cast<double>(values.size())),
          *std::min_element(values.begin(), values.end())};
}

double worst_cluster(const Evaluation& evaluation) {
  if (!has_true_clusters(evaluation)) return kNoFigure;
  std::map<std::uint32_t, MeanBySamples> clusters;
  for (const ClientScore& score : evaluation.scores) {
    if (score.role == Role::train) clusters[score.truth].add(score, score.accuracy);
  }
  double worst = kNoFigure;
  for (const auto& [cluster, mean] : clusters) worst = std::fmin(worst, mean.value());
  return worst;
}

class Accuracy : public Metric {
 public:
  std::vector<std::string> reports() const override { return {"right"}; }
  std::optional<Figure> figure() const override { return Figure{"accuracy", Task::classification}; }
  double over(const Evaluation&, std::span<const ClientScore* const> clients) const override {
    MeanBySamples mean;
    for (const ClientScore* score : clients) mean.add(*score, score->accuracy);
    return mean.value();
  }
  void measure(const Evaluation& evaluation, Record& out) const override {
    bool classes = evaluation.task == Task::classification;
    Spread spread = classes ? spread_over_clients(evaluation) : Spread{};
    out.set("accuracy",
            classes ? mean_by_samples(evaluation.scores, Role::train, &ClientScore::accuracy) : kNoFigure);
    out.set("accuracy_std", spread.deviation);
    out.set("accuracy_min", spread.least);
    out.set("worst_cluster", classes ? worst_cluster(evaluation) : kNoFigure);
    out.set("test_accuracy", classes ? test_mean(evaluation, &ClientScore::accuracy) : kNoFigure);
  }
};

const Registration<Metric> kAccuracy{
    "accuracy", "share of right classes: mean, spread over clients, worst client and cluster, test",
    [] { return std::make_unique<Accuracy>(); }};

}  // namespace
}  // namespace coterie
