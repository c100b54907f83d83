// Wrong labels: each sample's label is replaced with a given probability (the noisy labels of HCFL's tables).
//
// Choose it to see how a method bears careless annotation. It makes no true clusters, and leaves the data
// that judges models clean unless told otherwise.
#include <fmt/format.h>

#include <algorithm>

#include "coterie/shift.h"

namespace coterie {
namespace {

class LabelNoise : public Shift {
 public:
  void options(Options& o) override {
    o.choice("rule", rule_, {"symmetric", "pair"},
             "what a wrong label is: any other class with equal chance, or the next class (y + 1 mod C)");
    o("rates", &rates_, "the share of wrong labels, one group of clients for each", share());
    o("test", &test_, "whether test data gets wrong labels too");
    o.require(!rates_.empty(), "rates", "needs at least one rate");
  }

  void check_shape(const Shape& shape) const override {
    if (shape.task != Task::classification || shape.classes < 2) {
      throw Error("shift \"label-noise\" needs at least 2 classes, but the " +
                  (shape.task == Task::classification ? "data has " + std::to_string(shape.classes)
                                                      : std::string("task is regression")) +
                  "; leave the shift out");
    }
  }

  std::size_t variants() const override { return rates_.size(); }
  std::string variant_name(std::size_t variant) const override {
    return fmt::format("label noise {:g}", rates_[variant]);
  }
  std::size_t canonical(std::size_t variant, const Shape&) const override {
    return static_cast<std::size_t>(std::find(rates_.begin(), rates_.end(), rates_[variant]) -
                                    rates_.begin());
  }
  bool is_truth_by_default() const override { return false; }
  bool applies_to_test() const override { return test_; }

  void apply(std::size_t variant, Samples& samples, Stream& stream) const override {
    const std::size_t classes = samples.shape.classes;
    for (double& target : samples.targets) {
      if (!stream.bernoulli(rates_[variant])) continue;
      const std::size_t step = rule_ == "pair" ? 1 : 1 + stream.below(classes - 1);
      target = static_cast<double>((static_cast<std::size_t>(target) + step) % classes);
    }
  }

 private:
  std::string rule_ = "symmetric";
  std::vector<double> rates_ = {0.2};
  bool test_ = false;
};

const Registration<Shift> kLabelNoise{"label-noise", "replace labels by wrong ones with a given probability",
                                      [] { return std::make_unique<LabelNoise>(); }};

}  // namespace
}  // namespace coterie
