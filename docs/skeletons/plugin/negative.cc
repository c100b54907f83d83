// A shift as a plug-in outside the tree: half of the groups see their features with the sign turned.
#include <coterie/shift.h>

#include <type_traits>

namespace {

using namespace coterie;  // NOLINT(google-build-using-namespace): the example is short

class Negative : public Shift {
 public:
  void options(Options& o) override {
    o("strength", &strength_, "by what turned features are multiplied", above(0));
  }
  void check_shape(const Shape&) const override {}
  std::size_t variants() const override { return 2; }
  std::string variant_name(std::size_t variant) const override {
    return variant == 0 ? "as it is" : "negative";
  }
  void apply(std::size_t variant, Samples& samples, Stream&) const override {
    if (variant == 0) return;
    samples.make_float();  // bytes have no sign
    const auto turn = [this](auto& values) {
      for (auto& x : values) x = static_cast<std::decay_t<decltype(x)>>(-strength_ * x);
    };
    std::visit(turn, samples.features);
  }

 private:
  double strength_ = 1;
};

const Registration<Shift> kNegative{"negative", "turn the sign of half of the groups' features",
                                    [] { return std::make_unique<Negative>(); }};

}  // namespace
