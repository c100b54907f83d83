// Independent random models, as the model itself draws them; the k-th does not depend on how many there are.
#include "coterie/algorithm.h"

namespace coterie {
namespace {

class Random : public Init {
 public:
  void options(Options&) override {}
  Start make(const InitContext& context) const override {
    return {random_models(context.setting, context.algorithm.start_models(), 0), {}};
  }
};

const Registration<Init> kRandom{"random", "independent random models",
                                 [] { return std::make_unique<Random>(); }};

}  // namespace
}  // namespace coterie
