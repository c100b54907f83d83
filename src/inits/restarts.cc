// Several starts from independent random models, of which one goes on. No truth is used; what it asks is
// counted.
//
//   rule = "loss"      short trials of the method; the one whose clients end with the lowest training loss
//   rule = "balance"   no training: the first draw of which, among a fresh sample of clients, each model is
//                      preferred by at least a share `threshold`; when none of the trials is, the one with
//                      the largest least share, with an event
//
// A client prefers by its objective, as in training (methods/choose.h); trials are compared by how well their
// models fit, without the L2 term.
//
// Choose it for methods that are sensitive to their start, such as IFCA: where two groups of clients share a
// model, the loss stays higher, and a trial where every group has its own wins. "balance" is what the IFCA
// authors' code does for two rotations of CIFAR-10 (0.35) and for four (0.1), without end; it costs less, and
// helps where a random model is preferred by everybody at first.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "coterie/methods/choose.h"
#include "coterie/methods/score.h"

namespace coterie {
namespace {

struct ChoiceNote {
  Items items;
  void fields(Archive& a) { a(items); }
};

struct ChoiceReply {
  std::uint32_t choice = 0;  // the model with the lowest objective
  void fields(Archive& a) { a.vote(choice); }
};
const Job<ChoiceNote, ChoiceReply> kChoose("choose",
                                           [](const Shelf& shelf, const ChoiceNote&, ClientView& view) {
                                             if (shelf.size() == 0) throw Error("it was sent no model");
                                             Vec losses;
                                             for (std::size_t k = 0; k < shelf.size(); ++k)
                                               losses.push_back(objective_at(view, shelf[k]));
                                             std::size_t choice = lowest(losses);
                                             if (!std::isfinite(losses[choice]))
                                               throw Error("no model has a finite loss on its data");
                                             return ChoiceReply{static_cast<std::uint32_t>(choice)};
                                           });

class Restarts : public Init {
 public:
  void options(Options& o) override {
    o.choice("rule", rule_, {"loss", "balance"},
             "what a start is judged by: the training loss after some rounds, or how evenly clients choose");
    o("trials", &trials_, "random starts to try", between(1, 256));
    o("rounds", &rounds_, "rounds of each trial (loss)", between(1, 200));
    o("clients", &clients_,
      "clients that take part in the trials, the same random sample in each, but at least ten a model; 0: "
      "all "
      "(loss)",
      at_least(0));
    o("share_asked", &share_asked_, "share of clients asked in a trial, at least one a model (balance)",
      share());
    o("threshold", &threshold_,
      "share of those asked that must choose each model (balance); 0.35 for two models, 0.4 over their "
      "number "
      "for more, when not given",
      share());
  }

  std::vector<const AnyJob*> jobs() const override { return {&kChoose}; }

  Start make(const InitContext& context) const override {
    return rule_ == "balance" ? most_balanced(context) : least_loss(context);
  }

 private:
  // Who takes part in trials by loss.
  std::vector<ClientId> company(const InitContext& context) const {
    constexpr std::uint16_t kAsk = 2;
    constexpr std::size_t kEach = 10;
    const std::size_t all = context.fleet.clients();
    const std::size_t wanted =
        std::max(static_cast<std::size_t>(clients_), kEach * context.algorithm.start_models());
    if (clients_ == 0 || wanted >= all) return context.fleet.everyone();
    return Stream(context.setting.seed, {Purpose::cohort, 0, kAsk, 0}).sample(all, wanted);
  }

  Start least_loss(const InitContext& context) const {
    const std::vector<ClientId> asked = company(context);
    Start best;
    Ending best_ending;
    std::string failure = "no trial had a finite training loss";
    for (std::int64_t trial = 0; trial < trials_; ++trial) {
      Start end;
      Ending ending;
      try {
        context.fleet.before_rounds([&](const Fleet::Begin& begin) {
          end = play(context, asked, static_cast<std::uint32_t>(trial), begin);
          ending = training_loss(context, asked);
        });
      } catch (const Error& e) {
        failure = e.what();  // too few usable replies: this trial is out, the others may do
      }
      context.fleet.report(
          {0,
           "restart",
           {},
           fmt::format("trial {} of {}: training loss {:.6g}", trial + 1, trials_, ending.loss),
           {{"trial", static_cast<double>(trial + 1)}, {"loss", ending.loss}}});
      if (ending.better_than(best_ending)) {
        best = std::move(end);
        best_ending = ending;
      }
    }
    if (best.models.empty())
      throw Error("every trial of init = \"restarts\" failed; the last reason: " + failure);
    return best;
  }

  Start most_balanced(const InitContext& context) const {
    const std::size_t count = context.algorithm.start_models();
    const double usual = count <= 2 ? 0.35 : 0.4 / static_cast<double>(count);
    const double threshold = threshold_.value_or(usual);
    Start best;
    double best_share = -1;
    std::string failure = "no client could choose";
    for (std::int64_t trial = 0; trial < trials_ && best_share < threshold; ++trial) {
      Start draw{random_models(context.setting, count, static_cast<std::uint32_t>(trial)), {}};
      double share = -1;
      try {
        context.fleet.before_rounds([&](const Fleet::Begin& begin) {
          begin(static_cast<std::uint32_t>(trial + 1), 0);
          share = least_share(context, draw.models, static_cast<std::uint32_t>(trial));
        });
      } catch (const Error& e) {
        failure = e.what();
      }
      if (share > best_share) {
        best = std::move(draw);
        best_share = share;
      }
      context.fleet.report({0,
                            "restart",
                            {},
                            fmt::format("trial {} of {}: the least chosen model has a share of {:.3g}",
                                        trial + 1, trials_, std::max(share, 0.0)),
                            {{"trial", static_cast<double>(trial + 1)}, {"share", std::max(share, 0.0)}}});
      context.logged(static_cast<std::uint32_t>(trial + 1));
    }
    if (best.models.empty())
      throw Error("every trial of init = \"restarts\" failed; the last reason: " + failure);
    if (best_share < threshold) {
      context.fleet.report({0,
                            "unbalanced",
                            {},
                            fmt::format("no trial of {} reached the threshold {:.3g}; the most balanced one, "
                                        "with {:.3g}, goes on",
                                        trials_, threshold, best_share),
                            {{"threshold", threshold}, {"share", best_share}}});
    }
    return best;
  }

  // The share of a fresh sample of clients that choose the model that fewest choose.
  double least_share(const InitContext& context, const std::vector<Vec>& models, std::uint32_t trial) const {
    const std::size_t clients = context.fleet.clients();
    auto wanted = static_cast<std::size_t>(std::llround(share_asked_ * static_cast<double>(clients)));
    Stream stream(context.setting.seed, {Purpose::cohort, trial, 1, 0});
    std::vector<ClientId> asked = stream.sample(clients, std::min(clients, std::max(models.size(), wanted)));
    Collect<ChoiceReply, std::uint32_t> choices(
        [](ChoiceReply& reply) { return reply.choice; },
        [&](ClientId, const ChoiceReply& reply) {
          return reply.choice < models.size() ? std::string()
                                              : std::string("it chose a model that is not there");
        });
    context.fleet.ask(kChoose, asked, Shelf(models, context.fleet.precision()),
                      [](ClientId) { return ChoiceNote{}; }, {&choices});
    std::vector<double> counts(models.size(), 0.0);
    for (const auto& [client, choice] : choices.items) counts[choice] += 1;
    return *std::min_element(counts.begin(), counts.end()) / static_cast<double>(choices.items.size());
  }

  // Runs a trial's rounds and returns where they ended.
  Start play(const InitContext& context, const std::vector<ClientId>& asked, std::uint32_t trial,
             const Fleet::Begin& begin) const {
    Algorithm& algorithm = context.algorithm;
    algorithm.start(context.fleet, {random_models(context.setting, algorithm.start_models(), trial), {}});
    Round round;
    round.cohort = asked;
    round.last = static_cast<std::uint32_t>(rounds_);
    for (round.number = 1; round.number <= round.last; ++round.number) {
      begin(round.number, static_cast<std::uint16_t>(trial * 256));
      algorithm.round(context.fleet, round);
      context.logged(round.number);
      if (algorithm.finished()) break;
    }
    return {algorithm.offer().models, {}};
  }

  // How a trial ended: how many clients could use a model it offers, and the mean over their samples of the
  // loss with the one they settle on. Serving more clients comes first: a trial must not win because it lost
  // those that fare badly.
  struct Ending {
    std::size_t served = 0;
    double loss = std::numeric_limits<double>::infinity();
    bool better_than(const Ending& other) const {
      return served != other.served ? served > other.served : loss < other.loss;
    }
  };
  Ending training_loss(const InitContext& context, const std::vector<ClientId>& asked) const {
    const Algorithm& algorithm = context.algorithm;
    const Offer offer = algorithm.offer();
    ScoreNote common;
    common.part = Part::train;
    common.reports = {"loss"};
    common.weights = false;
    common.packing = offer.packing();
    auto note = [&](ClientId i) {
      ScoreNote own = common;
      own.items = offer.travelling(algorithm.offer_items(i));
      return own;
    };
    Collect<ScoreReply, double> losses(
        [](ScoreReply& reply) { return reply.own.number(0); },
        [&](ClientId i, const ScoreReply& reply) {
          const std::string why = refuse_score(note(i), reply, offer.models.size());
          return why.empty() && !reply.own.told[0].finite ? "its loss is not finite" : why;
        });
    context.fleet.ask(score_job(), asked, Shelf(offer.items(), context.fleet.precision()), note, {&losses});
    double sum = 0;
    double samples = 0;
    for (const auto& [client, loss] : losses.items) {
      double n = static_cast<double>(context.fleet.samples(client));
      sum += n * loss;
      samples += n;
    }
    return {losses.items.size(), samples > 0 ? sum / samples : 0};
  }

  std::string rule_ = "loss";
  std::int64_t trials_ = 5;
  std::int64_t rounds_ = 5;
  std::int64_t clients_ = 100;
  double share_asked_ = 0.1;
  std::optional<double> threshold_;
};

const Registration<Init> kRestarts{
    "restarts", "random trials; the one with the lowest training loss, or the most even choice, goes on",
    [] { return std::make_unique<Restarts>(); }};

}  // namespace
}  // namespace coterie
