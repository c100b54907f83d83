// Wrong labels: each sample's label is replaced with a given probability (the noisy labels of HCFL's tables),
// or exactly that share of a client's (`exact`, ODCL's noisy CIFAR-10).
//
// Choose it to see how a method bears careless annotation. It makes no true clusters, and leaves the data
// that judges models clean unless told otherwise.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "coterie/shift.h"

namespace coterie {
namespace {

class LabelNoise : public Shift {
 public:
  void options(Options& o) override {
    o.choice("rule", rule_, {"symmetric", "pair"},
             "what a wrong label is: any other class with equal chance, or the next class (y + 1 mod C)");
    o("rates", &rates_, "the share of wrong labels, one group of clients for each", share());
    o("exact", &exact_,
      "whether exactly that share of a client's labels is wrong, rounded to a whole number, instead of each "
      "with that probability");
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
    const double rate = rates_[variant];
    if (exact_) {
      const auto wrong =
          static_cast<std::size_t>(std::lround(rate * static_cast<double>(samples.targets.size())));
      for (std::uint32_t row : stream.sample(samples.targets.size(), wrong)) {
        make_wrong(samples.targets[row], samples.shape.classes, stream);
      }
      return;
    }
    for (double& target : samples.targets) {
      if (stream.bernoulli(rate)) make_wrong(target, samples.shape.classes, stream);
    }
  }

 private:
  void make_wrong(double& target, std::size_t classes, Stream& stream) const {
    const std::size_t step = rule_ == "pair" ? 1 : 1 + stream.below(classes - 1);
    target = static_cast<double>((static_cast<std::size_t>(target) + step) % classes);
  }

  std::string rule_ = "symmetric";
  std::vector<double> rates_ = {0.2};
  bool exact_ = false;
  bool test_ = false;
};

const Registration<Shift> kLabelNoise{"label-noise", "replace labels by wrong ones with a given probability",
                                      [] { return std::make_unique<LabelNoise>(); }};

}  // namespace
}  // namespace coterie
