// bytes_up, bytes_down, bytes_eval, bytes_overhead: traffic since the run began. The first three are payload;
// evaluation is counted apart, since its frequency is the experimenter's choice and no part of a method.
#include "metrics/scores.h"

namespace coterie {
namespace {

class TrafficBytes : public Metric {
 public:
  void measure(const Evaluation& evaluation, Record& out) const override {
    out.set("bytes_up", static_cast<double>(evaluation.traffic.up));
    out.set("bytes_down", static_cast<double>(evaluation.traffic.down));
    out.set("bytes_eval", static_cast<double>(evaluation.traffic.eval));
    out.set("bytes_overhead", static_cast<double>(evaluation.traffic.overhead));
  }
};

const Registration<Metric> kBytes{"bytes", "bytes sent since the run began: up, down, evaluation, framing",
                                  [] { return std::make_unique<TrafficBytes>(); }};

}  // namespace
}  // namespace coterie
