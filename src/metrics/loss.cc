// loss: mean over the training clients' own held-out parts, by samples.
// test_loss: the same over unseen clients, or over the shared test sets when there are none.
#include "metrics/scores.h"

namespace coterie {
namespace {

class Loss : public Metric {
 public:
  std::vector<std::string> reports() const override { return {"loss"}; }
  std::optional<Figure> figure() const override { return Figure{"loss", {}, false}; }
  double over(const Evaluation&, std::span<const ClientScore* const> clients) const override {
    MeanBySamples mean;
    for (const ClientScore* score : clients) mean.add(*score, score->loss);
    return mean.value();
  }
  void measure(const Evaluation& evaluation, Record& out) const override {
    out.set("loss", mean_by_samples(evaluation.scores, Role::train, &ClientScore::loss));
    out.set("test_loss", test_mean(evaluation, &ClientScore::loss));
  }
};

const Registration<Metric> kLoss{"loss", "mean loss on clients' held-out data and on test data",
                                 [] { return std::make_unique<Loss>(); }};

}  // namespace
}  // namespace coterie
