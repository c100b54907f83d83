// Independent random models, as the model itself draws them; the k-th does not depend on how many there are.
#include "coterie/algorithm.h"

namespace coterie {
namespace {

class Random : public Init {
 public:
  void options(Options&) override {}
  Start make(Fleet&, const Setting& setting, Algorithm& algorithm) const override {
    Start start;
    for (std::size_t k = 0; k < algorithm.starts(); ++k) {
      Stream stream(setting.seed, {Purpose::init, 0, 0, static_cast<std::uint32_t>(k)});
      start.models.emplace_back(setting.model.size());
      setting.model.init(start.models.back(), stream);
    }
    return start;
  }
};

const Registration<Init> kRandom{"random", "independent random models",
                                 [] { return std::make_unique<Random>(); }};

}  // namespace
}  // namespace coterie
