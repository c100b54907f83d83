// Label flip: liars train, honestly, on samples whose class y has become C - 1 - y. Whatever they do for
// their own data, such as choosing a cluster, they do for those.
#include "coterie/attack.h"

namespace coterie {
namespace {

class LabelFlip : public Attack {
 public:
  void options(Options&) override {}
  At at() const override { return At::data; }
  void poison(Samples& samples) const override {
    for (double& y : samples.targets) y = static_cast<double>(samples.shape.classes) - 1 - y;
  }
};

const Registration<Attack> kLabelFlip{"label-flip", "liars train on samples with wrong classes",
                                      [] { return std::make_unique<LabelFlip>(); }};

}  // namespace
}  // namespace coterie
