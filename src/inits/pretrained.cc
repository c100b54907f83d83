// One model that all clients average for some rounds (FedAvg), and then heads drawn anew over its extractor:
// the models begin alike but for their last layer.
//
// Choose it where clusters are to differ in the last layer alone (algorithm.ifca.frozen or shared, extractor
// = true): features take most of the training, and it serves all clusters. It is how the authors of IFCA
// begin on FEMNIST. A model without layers before the last has nothing to train here; its start is random.
#include <algorithm>

#include "coterie/methods/train.h"

namespace coterie {
namespace {

class Pretrained : public Init {
 public:
  void options(Options& o) override {
    o("rounds", &rounds_, "rounds of training before the heads are drawn", between(1, 1000000));
    o("clients", &clients_, "clients asked in a round, a new random draw each time; 0: all", at_least(0));
  }
  std::vector<const AnyJob*> jobs() const override { return {&train_job()}; }

  Start make(const InitContext& context) const override {
    const Model& model = context.setting.model;
    Start start{random_models(context.setting, context.algorithm.start_models(), 0), {}};
    if (model.head() == 0) return start;
    std::vector<Vec> common = {start.models[0]};
    context.fleet.before_rounds([&](const Fleet::Begin& begin) {
      for (std::int64_t t = 1; t <= rounds_; ++t) {
        begin(static_cast<std::uint32_t>(t), 0);
        train_and_average(
            context.fleet, context.setting, cohort(context, static_cast<std::uint32_t>(t)),
            [](ClientId) { return 0; }, 0, common);
        if (context.logged) context.logged(static_cast<std::uint32_t>(t));
      }
    });
    for (Vec& whole : start.models) {
      for (const Layer& layer : model.layers()) {
        if (layer.offset >= model.head() && !layer.buffer) continue;
        const auto from = common[0].begin() + static_cast<std::ptrdiff_t>(layer.offset);
        std::copy_n(from, layer.size(), whole.begin() + static_cast<std::ptrdiff_t>(layer.offset));
      }
    }
    return start;
  }

 private:
  std::vector<ClientId> cohort(const InitContext& context, std::uint32_t round) const {
    constexpr std::uint16_t kAsk = 3;  // not that of the rounds' own draws, nor of restarts
    const std::size_t all = context.fleet.clients();
    if (clients_ == 0 || static_cast<std::size_t>(clients_) >= all) return context.fleet.everyone();
    return Stream(context.setting.seed, {Purpose::cohort, round, kAsk, 0})
        .sample(all, static_cast<std::size_t>(clients_));
  }

  std::int64_t rounds_ = 20;
  std::int64_t clients_ = 0;
};

const Registration<Init> kPretrained{"pretrained",
                                     "one model trained by all, and heads drawn anew over its extractor",
                                     [] { return std::make_unique<Pretrained>(); }};

}  // namespace
}  // namespace coterie
