// churn: share of training clients whose cluster is not the one they had at the previous evaluation, among
// those that answered both. Near 0 once a run has settled.
#include "metrics/scores.h"

namespace coterie {
namespace {

class Churn : public Metric {
 public:
  void measure(const Evaluation& evaluation, Record& out) const override {
    out.set("churn", evaluation.has_clusters() ? moved_share(evaluation) : kNoFigure);
  }

 private:
  static double moved_share(const Evaluation& evaluation) {
    double both = 0;
    double moved = 0;
    auto before = evaluation.previous.begin();  // both lists are in order of id
    for (const ClientScore& score : evaluation.scores) {
      while (before != evaluation.previous.end() && before->client < score.client) ++before;
      if (before == evaluation.previous.end()) break;
      if (score.role != Role::train || before->client != score.client) continue;
      both += 1;
      moved += before->cluster != score.cluster ? 1 : 0;
    }
    return both > 0 ? moved / both : kNoFigure;
  }
};

const Registration<Metric> kChurn{"churn",
                                  "share of clients that changed their cluster since the last evaluation",
                                  [] { return std::make_unique<Churn>(); }};

}  // namespace
}  // namespace coterie
