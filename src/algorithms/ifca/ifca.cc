// IFCA (Ghosh et al., 2020, Algorithm 2): the server keeps K models; each client picks the one with the
// lowest loss on its own data, works on it, and says which it picked. F_i, by which it picks and which its
// steps descend, has the model's L2 term in it (model.l2).
//
//   option I   (average = "gradients")   theta_j <- theta_j - gamma/m sum_{i in S_j} g_i
//   option II  (average = "models")      theta_j <- mean of the locally trained models of S_j
//   FedX+clustering (average = "changes")   theta_j <- theta_j + 1/N sum_{i in S_j} n_i (model_i - theta_j)
//
// The third is Phase 2 of FedMD (Su, Xu and Yang, 2024): every client counts in every average, with the model
// unchanged where it picked another, so small clusters take small steps. N is that of the cohort or of all
// clients (`divisor`). With local.solver "gd" it is their FedAvg, with "proximal" their FedProx.
//
// Choose it when clients fall into a few clear groups and K is roughly known. It is sensitive to its start:
// from plain random models two groups may end up sharing one; prefer init = "restarts".
//
// Section 4.3: layers shared by all clusters, of which one copy is sent (`shared`; they start as the first
// model's); a client whose identity is stable is sent its own model only (`stable_after`). Section 5: fresh
// data for every choice and every update (`resample`). As the authors' code has it for FEMNIST: what is
// before the last layer stays as it begins (`frozen`), and in the first rounds clients are in random groups
// (`warm_up`).
//
// Differs from the paper: a model that nobody picked stays as it is (option II divides by zero there; option
// I agrees), or is made anew near the model whose clients fare worst (`empty`). Identities become stable one
// client at a time, not all at once, and are looked at again every `recheck` rounds. Sums may be weighted by
// samples; weights = "uniform" is the paper's.
#include <fmt/format.h>

#include "algorithms/ifca/client.h"
#include "algorithms/ifca/empty.h"
#include "algorithms/ifca/frozen.h"
#include "coterie/algorithm.h"
#include "coterie/methods/slots.h"
#include "coterie/methods/train.h"

namespace coterie {
namespace {

class Ifca : public Algorithm {
 public:
  void options(Options& o) override {
    o.choice("average", average_, {"models", "gradients", "changes"},
             "option II of the paper, option I, or option II with every client in every average: Phase 2 of "
             "FedMD");
    o.choice("divisor", divisor_, {"all", "cohort"},
             "a sum of gradients or changes is divided by the weight of all clients (the paper's m) or of "
             "those asked");
    o("shared", &shared_,
      "layers that all clusters have in common, by name or by the beginning of their names: [\"layer1\"]; "
      "averaged "
      "over all clients, and only one copy of them is sent");
    o("frozen", &frozen_,
      "all layers but the last are common to all clusters and stay as the start has them (clusters.init = "
      "\"pretrained\")");
    o("warm_up", &warm_up_,
      "rounds at first in which clients do not choose, but train the model of a group that they were put "
      "into at "
      "random",
      at_least(0));
    o("stable_after", &stable_after_,
      "after so many turns with the same choice a client is sent its own model only; 0: never", at_least(0));
    o("recheck", &recheck_, "every so many rounds a stable client is sent all models again", at_least(1));
    o("resample", &resample_,
      "choose and work on fresh data each time: a client's samples are cut into 2 T disjoint parts for T "
      "rounds");
    o.choice(
        "skip", skip_, {"partial", "bounds", "none"},
        "partial: a client gives up a model as soon as its losses exceed the best one's; bounds: the server "
        "also does not send what cannot be chosen; none: all models, all rows. The choices are the same");
    o("choose_by", &choose_by_,
      "choose by so many of a client's samples, drawn anew each time: cheaper, but clients stray; 0: by all",
      at_least(0));
    o.choice("momentum", momentum_, {"each", "one"},
             "where local.momentum_survives: each model's apart, or one whatever a client chooses");
    o.choice("empty", empty_.rule, {"keep", "reseed"},
             "a model that nobody chooses stays as it is, or becomes a noisy copy of the one with the "
             "highest loss");
  }

  void prepare(const Setting& setting) override {
    Algorithm::prepare(setting);
    if (average_ == "gradients" && !setting.solver.plain()) {
      throw Error(
          "algorithm.ifca.average = \"gradients\" takes one step of size local.rate on the server: use "
          "local.solver = "
          "\"gd\" with steps = 1 and without momentum or weight decay");
    }
    if (frozen_) check_frozen(setting);
    bounds_ = skip_ == "bounds";
    if (bounds_ && choose_by_ > 0) {
      throw Error(
          "algorithm.ifca.skip = \"bounds\" remembers losses on all of a client's samples, but choose_by "
          "draws some; use skip = \"partial\"");
    }
    if (bounds_ && (resample_ || setting.redealt)) {
      throw Error(
          "algorithm.ifca.skip = \"bounds\" remembers losses on a client's samples, but those change "
          "(data.redeal, "
          "algorithm.ifca.resample); use skip = \"partial\"");
    }
    if (bounds_ && !has_loss_bounds(setting.model)) {
      throw Error(
          "algorithm.ifca.skip = \"bounds\" knows no bounds for this model, only for linear scores and for "
          "one hidden "
          "layer with classes; use skip = \"partial\"");
    }
    book_ = BoundBook(setting.model, setting.precision);
    sharing_ =
        Sharing(setting.model, frozen_ ? names_before_head(setting.model) : shared_, "algorithm.ifca.shared");
  }
  // Its random groups part the models, whatever they begin with.
  bool begins_at_random() const override { return warm_up_ == 0 && Algorithm::begins_at_random(); }
  bool plans_ahead() const override { return resample_; }
  std::vector<const AnyJob*> jobs() const override { return {&kChooseAndWork}; }

  void start(Fleet& fleet, Start start) override {
    own_.clear();
    for (std::size_t k = 0; k < start.models.size(); ++k) {
      auto [common, own] = sharing_.split(start.models[k]);
      if (k == 0) common_ = std::move(common);
      own_.push_back(std::move(own));
    }
    book_ = BoundBook(setting_->model, setting_->precision);
    empty_.start(own_.size());
    choices_.assign(fleet.clients(), 0);
    turns_.assign(fleet.clients(), 0);
    if (warm_up_ > 0) groups_ = random_groups(fleet.clients());
    for (std::size_t i = 0; i < start.memberships.size(); ++i) choices_[i] = start.memberships[i];
  }

  void round(Fleet& fleet, const Round& round) override {
    const double total = total_weight(*setting_, fleet, round.cohort);
    if (round.number == 1 && average_ == "changes" && divisor_ == "all" &&
        round.cohort.size() < fleet.clients()) {
      fleet.report(
          {0,
           "warning",
           {},
           "algorithm.ifca.divisor = \"all\" divides changes by the weight of all clients, but rounds ask a "
           "part of them: models move that much less; \"cohort\" divides by those asked",
           {}});
    }
    auto own = setting_->aggregate.slots(own_.size(), own_[0].size(), total);
    auto common = setting_->aggregate.slots(1, frozen_ ? 0 : common_.size(), total);
    IntoSlots<IfcaReply> fold_own(*own, &IfcaReply::update, [&](ClientId i, const IfcaReply& reply) {
      return SlotWeight{reply.choice, client_weight(*setting_, fleet, i)};
    });
    IntoSlots<IfcaReply> fold_common(*common, &IfcaReply::common, [&](ClientId i, const IfcaReply&) {
      return SlotWeight{0, client_weight(*setting_, fleet, i)};
    });
    check_parts(fleet, round);
    if (bounds_) book_.enter(as_sent(fleet.precision()));
    Collect<IfcaReply, Choice> chosen(
        [](IfcaReply& reply) {
          return Choice{reply.choice, reply.loss};
        },
        [&](ClientId i, const IfcaReply& reply) { return refuse(i, reply, round); });
    Collect<IfcaReply, std::vector<Evidence>> seen([](IfcaReply& reply) { return std::move(reply.seen); },
                                                   nullptr,
                                                   own_.size() * (sizeof(Evidence) + 8 * sizeof(double)));
    std::vector<Vec> items = own_;
    if (!common_.empty()) items.push_back(common_);
    auto note = [&](ClientId i) { return note_for(i, round); };
    std::vector<Fold<IfcaReply>*> folds = {&fold_own, &fold_common, &chosen};
    if (bounds_) folds.push_back(&seen);
    fleet.ask(kChooseAndWork, round.cohort, Shelf(items, fleet.precision()), note, folds);

    if (average_ == "gradients") {
      const double rate = setting_->solver.rate(round.number) / divisor(fleet, round);
      for (std::size_t k = 0; k < own_.size(); ++k) step(*own, k, rate, own_[k]);
      step(*common, 0, rate, common_);
    } else {
      const double all = divisor(fleet, round);
      for (std::size_t k = 0; k < own_.size(); ++k) own_[k] = averaged(*own, k, all, own_[k]);
      if (!frozen_) common_ = averaged(*common, 0, all, common_);
    }
    learn(chosen.items, round);
    for (const auto& [i, all] : seen.items) {
      for (const Evidence& one : all) book_.learn(i, one);
    }
    // A fresh model is given a round in which all are sent everything.
    empty_.look_after(fleet, round, setting_->seed, static_cast<std::uint32_t>(recheck_), choices_, turns_,
                      chosen.items, own_);
  }

  Offer offer() const override {
    Offer offer;
    for (const Vec& own : own_) offer.models.push_back(sharing_.join(common_, own));
    offer.sharing = sharing_;
    return offer;
  }
  void fields(Archive& a) override {
    a(own_, common_, choices_, turns_, empty_, book_);
    if (warm_up_ > 0) a(groups_);
  }

 private:
  void check_frozen(const Setting& setting) const {
    check_can_freeze(setting);
    if (!shared_.empty()) {
      throw Error("algorithm.ifca.frozen has all layers but the last in common; leave out `shared`");
    }
    if (average_ != "models" || skip_ != "partial" || choose_by_ > 0 || resample_) {
      throw Error(
          "algorithm.ifca.frozen goes with average = \"models\" and skip = \"partial\", and without "
          "choose_by "
          "and resample");
    }
  }
  // Equal groups; the rest goes to the first ones.
  std::vector<std::uint32_t> random_groups(std::size_t clients) const {
    std::vector<std::uint32_t> groups(clients);
    for (std::size_t i = 0; i < clients; ++i) groups[i] = static_cast<std::uint32_t>(i % own_.size());
    Stream(setting_->seed, {Purpose::server, 0, 1, 0}).shuffle(std::span(groups));
    return groups;
  }
  // The whole models, rounded as clients get them.
  std::vector<Vec> as_sent(Precision precision) const {
    std::vector<Vec> models = offer().models;
    for (Vec& model : models) round_to(precision, model);
    return models;
  }
  // A client whose choice was the same for long enough gets its own model, except when it is time to look
  // around.
  bool stable(ClientId i, const Round& round) const {
    return stable_after_ > 0 && turns_[i] >= stable_after_ &&
           round.number % static_cast<std::uint32_t>(recheck_) != 0;
  }
  bool warms_up(const Round& round) const { return round.number <= warm_up_; }
  // What a client is sent: all, less what it cannot choose.
  Items items_for(ClientId i, const Round& round) const {
    const bool knows = stable(i, round), warming = warms_up(round);
    if (!knows && !bounds_ && !warming) return Items::all();
    std::vector<std::uint32_t> items;
    for (std::uint32_t k = 0; k < own_.size(); ++k) {
      if (warming && k != groups_[i]) continue;
      const bool useless = knows || book_.hopeless(i, k, choices_[i]);
      if (warming || k == choices_[i] || !useless) items.push_back(k);
    }
    if (items.size() == own_.size()) return Items::all();
    if (sharing_.any()) items.push_back(static_cast<std::uint32_t>(own_.size()));
    return Items::only(items);
  }
  IfcaNote note_for(ClientId i, const Round& round) const {
    IfcaNote note;
    note.items = items_for(i, round);
    note.guess = choices_[i];
    note.gradient = average_ == "gradients";
    note.sharing = sharing_;
    note.evaluate_all = skip_ != "partial";
    note.evidence = bounds_;
    note.choose_by = static_cast<std::uint32_t>(choose_by_);
    note.one_momentum = momentum_ == "one";
    note.frozen = frozen_;
    if (resample_) {
      note.portions = 2 * round.last;
      note.portion = 2 * (round.number - 1);
    }
    return note;
  }

  // Why a reply cannot be honest; "" when it can.
  std::string refuse(ClientId i, const IfcaReply& reply, const Round& round) const {
    if (reply.choice < own_.size() && !items_for(i, round).has(reply.choice)) {
      return fmt::format("it chose model {}, which it was not sent", reply.choice);
    }
    if (reply.loss < 0) return fmt::format("its loss is {:g}", reply.loss);
    if (reply.seen.size() > (bounds_ ? own_.size() : 0)) return "it says more about models than it was asked";
    return "";
  }

  void check_parts(const Fleet& fleet, const Round& round) const {
    if (!resample_ || round.number != 1) return;
    for (std::size_t i = 0; i < fleet.clients(); ++i) {
      const std::size_t samples = fleet.samples(static_cast<ClientId>(i));
      if (samples < 2 * round.last) {
        throw Error(fmt::format(
            "algorithm.ifca.resample cuts a client's samples into {} parts for {} rounds, but client "
            "{} has {}; run fewer rounds or give clients more samples",
            2 * round.last, round.last, i, samples));
      }
    }
  }

  double divisor(const Fleet& fleet, const Round& round) const {
    if (divisor_ == "cohort") return total_weight(*setting_, fleet, round.cohort);
    return total_weight(*setting_, fleet, fleet.everyone());
  }
  // The mean of a slot; with average = "changes" the model has only gone its share of the way there.
  // A reply that was left out counts as no change.
  Vec averaged(const Slots& slots, std::size_t slot, double all, const Vec& model) const {
    std::optional<Vec> mean = slots.mean(slot);
    if (!mean || average_ != "changes") return mean.value_or(model);
    const double fraction = slots.weight(slot) / all;
    for (std::size_t j = 0; j < model.size() && fraction != 1; ++j) {
      (*mean)[j] = model[j] + fraction * ((*mean)[j] - model[j]);
    }
    return *mean;
  }
  // Line 13 of Algorithm 2.
  static void step(const Slots& gradients, std::size_t slot, double rate, Vec& model) {
    const std::optional<Vec> mean = gradients.mean(slot);
    if (!mean) return;
    const double factor = rate * gradients.weight(slot);
    for (std::size_t j = 0; j < model.size(); ++j) model[j] -= factor * (*mean)[j];
  }

  void learn(const std::vector<std::pair<ClientId, Choice>>& chosen, const Round& round) {
    for (const auto& [i, choice] : chosen) {
      const bool again = !warms_up(round) && turns_[i] > 0 && choice.model == choices_[i];
      turns_[i] = again ? turns_[i] + 1 : 1;
      choices_[i] = choice.model;
    }
  }

  std::string average_ = "models";
  bool bounds_ = false;  // skip = "bounds"
  std::string divisor_ = "all";
  std::vector<std::string> shared_;
  bool frozen_ = false;
  std::int64_t warm_up_ = 0;
  std::int64_t stable_after_ = 0;
  std::int64_t recheck_ = 10;
  bool resample_ = false;
  std::string skip_ = "partial";
  std::int64_t choose_by_ = 0;
  std::string momentum_ = "each";

  Sharing sharing_;
  std::vector<Vec> own_;                // of each cluster, less what is shared
  Vec common_;                          // what is shared
  std::vector<std::uint32_t> choices_;  // last choice of each client
  std::vector<std::uint32_t> turns_;    // for how many turns it has been that; 0: never asked
  BoundBook book_;                      // for skip = "bounds"
  EmptyModels empty_;
  std::vector<std::uint32_t> groups_;  // for warm_up
};

const Registration<Algorithm> kIfca{"ifca",
                                    "K models; each client trains the one with the lowest loss on its data",
                                    [] { return std::make_unique<Ifca>(); }};

}  // namespace
}  // namespace coterie
