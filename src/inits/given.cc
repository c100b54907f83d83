// Models as the config lists them, parameter by parameter. For worked examples whose start matters; for
// models of any size use "file".
#include <fmt/format.h>

#include "base/text.h"
#include "coterie/algorithm.h"

namespace coterie {
namespace {

class Given : public Init {
 public:
  void options(Options& o) override { o("models", &models_, "the parameters of each model"); }

  Start make(const InitContext& context) const override {
    const std::size_t wanted = context.algorithm.start_models(), size = context.setting.model.size();
    if (models_.size() != wanted) {
      throw Error(
          fmt::format("clusters.given.models lists {}, but the method starts from {}; set clusters.count "
                      "to fit, or list as many",
                      counted(models_.size(), "model"), wanted));
    }
    for (const Vec& model : models_) {
      if (model.size() != size) {
        throw Error(fmt::format("clusters.given.models: a model has {}, but [model] has {}",
                                counted(model.size(), "parameter"), size));
      }
    }
    return {models_, {}};
  }

 private:
  std::vector<Vec> models_;
};

const Registration<Init> kGiven{"given", "models as the config lists them",
                                [] { return std::make_unique<Given>(); }};

}  // namespace
}  // namespace coterie
