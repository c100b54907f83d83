// Several short trials from independent random models; training goes on from the trial whose clients end with
// the lowest training loss. No truth is used.
//
// Choose it for methods that are sensitive to their start, such as IFCA: where two groups of clients share a
// model, the loss stays higher, and a trial where every group has its own wins. Its rounds and bytes are
// counted.
#include <fmt/format.h>

#include <limits>
#include <numeric>

#include "coterie/algorithm.h"

namespace coterie {
namespace {

struct LossNote {
  Items items;
  void fields(Archive& a) { a(items); }
};
struct LossReply {
  double loss = 0;  // of the client's own choice on its training part
  void fields(Archive& a) { a(loss); }
};

class Restarts : public Init {
 public:
  void options(Options& o) override {
    o("trials", &trials_, "random starts to try", between(1, 256));
    o("rounds", &rounds_, "rounds of each trial, with all clients", between(1, 200));
  }

  Start make(const InitContext& context) const override {
    Start best;
    double best_loss = std::numeric_limits<double>::infinity();
    std::string failure = "no trial had a finite training loss";
    for (std::int64_t trial = 0; trial < trials_; ++trial) {
      Start end;
      double loss = std::numeric_limits<double>::infinity();
      try {
        end = play(context, static_cast<std::uint32_t>(trial));
        loss = training_loss(context);
      } catch (const Error& e) {
        failure = e.what();  // too few usable replies: this trial is out, the others may do
      }
      bool better = loss < best_loss;
      context.fleet.report({0,
                            "restart",
                            {},
                            fmt::format("trial {} of {}: training loss {:.6g}", trial + 1, trials_, loss),
                            {{"trial", static_cast<double>(trial + 1)}, {"loss", loss}}});
      if (better) {
        best = std::move(end);
        best_loss = loss;
      }
    }
    context.fleet.forget();
    if (best.models.empty())
      throw Error("every trial of init = \"restarts\" failed; the last reason: " + failure);
    return best;
  }

 private:
  // Runs a trial's rounds and returns where they ended.
  Start play(const InitContext& context, std::uint32_t trial) const {
    Algorithm& algorithm = context.algorithm;
    context.fleet.forget();
    algorithm.start(context.fleet, {random_models(context.setting, algorithm.starts(), trial), {}});
    Round round;
    round.cohort.resize(context.fleet.clients());
    std::iota(round.cohort.begin(), round.cohort.end(), 0u);
    round.last = static_cast<std::uint32_t>(rounds_);
    for (round.number = 1; round.number <= round.last; ++round.number) {
      context.fleet.begin_round(round.number, Purpose::restart, static_cast<std::uint16_t>(trial * 256));
      algorithm.round(context.fleet, round);
      context.logged(round.number);
    }
    return {algorithm.offer().models, {}};
  }

  // The mean over samples of the loss that clients have with the model they settle on; not finite counts as
  // worst.
  double training_loss(const InitContext& context) const {
    const Algorithm& algorithm = context.algorithm;
    Job<LossNote, LossReply> job("training-loss", [&](const Shelf& offer, const LossNote&, ClientView& view) {
      Vec weights = algorithm.settle(offer, view);
      return LossReply{mean(algorithm.predict(offer, weights, view, Part::train).losses)};
    });
    Collect<LossReply, double> losses([](LossReply& reply) { return reply.loss; });
    std::vector<ClientId> everyone(context.fleet.clients());
    std::iota(everyone.begin(), everyone.end(), 0u);
    auto note = [&](ClientId i) { return LossNote{algorithm.offer_items(i)}; };
    context.fleet.ask(job, everyone, Shelf(algorithm.offer().models, context.fleet.precision()), note,
                      {&losses});
    double sum = 0;
    double samples = 0;
    for (const auto& [client, loss] : losses.items) {
      double n = static_cast<double>(context.fleet.samples(client));
      sum += n * loss;
      samples += n;
    }
    return losses.items.size() == everyone.size() ? sum / samples : std::numeric_limits<double>::infinity();
  }

  std::int64_t trials_ = 5;
  std::int64_t rounds_ = 5;
};

const Registration<Init> kRestarts{"restarts",
                                   "short random trials; the one with the lowest training loss goes on",
                                   [] { return std::make_unique<Restarts>(); }};

}  // namespace
}  // namespace coterie
