// Federated-Clustering (the paper's Algorithm 2): every client has a model of its own. In a round each client
// of a group takes its gradient at the model of every member; those that are near the owner's gradient there
// (threshold clustering, clustering/threshold.h) make up the step that the owner's model takes.
//
// Choose it when clients may have been taken for alike by mistake, or when some lie: who is like whom is
// found anew in every round and at every model. It costs G gradients a client, G being the size of a group,
// and G models down and G gradients up: for networks use groups (`group_size`, or their number `groups`),
// drawn anew each round. Clusters need not be known, nor their number; clusters.count says only how many
// models the start makes.
//
// By default nobody has to know a radius: besides their own models clients train a common one by averaging,
// and every `look_every` rounds they tell what `look_rounds` rounds of training would change in it (looks.h).
// Whoever falls into one part may be alike; the ball around the owner's gradient is among those. One gradient
// at a model says mostly which labels a client has, so that it finds no groups where labels are skewed. This
// costs local training in each round, and look_rounds / look_every times as much for looks: beside G
// gradients little, where G is large. Else the radius is a quantile, given, or the theorem's.
//
// One pass over a client's data serves all models of its group. The server works on as many groups at once as
// fit into `memory` and into fleet.memory, at least one (groups x G^2 x model; a group whose gradients alone
// exceed fleet.memory is refused), and needs no more than the inner products of a model's gradients to find
// its step.
//
// Found groups: clients are linked when each was in the other's ball when they last met, as long as that was
// the last turn of one of them; what is connected is a group. With random groups a round links no two clients
// that did not meet, so found groups are then small.
//
// Differs from the paper: messages go through the server, which finds the steps. A client whose reply is left
// out keeps its model for the round and is nobody's neighbour; a single gradient at another's model that
// cannot be used counts as outside of the ball, in the 1/N of (4) too, with an event. The mean in (4) goes by
// aggregate.weights ("uniform" is the paper's). Steps are of size local.rate, with heavy-ball momentum if
// told: m = momentum m + v. Gradients are over all of a client's samples, or over `batch` of them (B_i),
// drawn anew each round; a client's gradients of a round are all over the same draw, so that one pass serves
// all models.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "algorithms/federated-clustering/circles.h"
#include "algorithms/federated-clustering/client.h"
#include "algorithms/federated-clustering/findings.h"
#include "algorithms/federated-clustering/links.h"
#include "algorithms/federated-clustering/looks.h"
#include "algorithms/federated-clustering/neighbours.h"
#include "algorithms/personal/method.h"
#include "base/text.h"
#include "coterie/methods/train.h"
#include "coterie/methods/with_real.h"

namespace coterie {
namespace {

class FederatedClustering : public PersonalMethod {
 public:
  void options(Options& o) override {
    o("group_size", &group_size_, "clients of a group, at most; default: all that are asked", at_least(1));
    o("groups", &groups_, "number of groups instead", at_least(1));
    o.require(!(group_size_ && groups_), "groups", "give either group_size or groups, not both");
    o("momentum", &momentum_, "heavy-ball momentum on the steps: m = momentum m + v",
      {"must be at least 0 and below 1", [](double value) { return value >= 0 && value < 1; }});
    o.choice(
        "neighbours", neighbours_, {"threshold", "truth"},
        "who is alike: as threshold clustering finds, or the true clusters; the latter also logs how the "
        "paper's assumptions fare (7, 8)");
    o("memory", &memory_, "GB for which several groups may be worked on at once; fleet.memory bounds it too",
      above(0));
    o("look_every", &look_every_,
      "with rule = \"gap\": rounds after which clients tell anew what training would change", at_least(1));
    o("look_rounds", &look_rounds_, "rounds of training of which they tell; 0: the gradient",
      between(0, kMostLookRounds));
    batch_option(o);
    threshold_.options(o, true);
  }
  bool needs_truth() const override { return neighbours_ == "truth"; }
  std::vector<const AnyJob*> jobs() const override {
    return {&kSendModel, &kAtModels, &kChange, &kTakeStep, &train_job()};
  }
  std::vector<std::string> warnings(const Fleet& fleet) const override {
    std::vector<std::string> all = PersonalMethod::warnings(fleet);
    if (alone(fleet.clients())) all.push_back(alone_text(fleet.clients()));
    return all;
  }

  void start(Fleet& fleet, Start start) override {
    common_ = {start.models.at(0)};
    begin(fleet, std::move(start));
    links_ = Links(fleet.clients());
    looks_ = Looks(fleet.clients());
  }

  void round(Fleet& fleet, const Round& round) override {
    Stream stream(setting_->seed, {Purpose::server, round.number, 0, 0});
    if (round.number == 1 && alone(round.cohort.size()) && !alone(fleet.clients())) {
      fleet.report({0, "warning", {}, alone_text(round.cohort.size()), {}});
    }
    std::vector<Circle> circles = cut_circles(round.cohort, circles_of(round.cohort.size()), stream);
    const std::size_t together = in_flight(fleet, circles);
    Findings findings;
    fleet.in_turns((circles.size() + together - 1) / together, [&](std::size_t part) {
      const std::size_t begin = part * together;
      work(fleet, round, std::span(circles).subspan(begin, std::min(together, circles.size() - begin)),
           findings);
    });
    if (by_gap() && largest_of(circles) >= kFewestInLook) {
      train_and_average(
          fleet, *setting_, round.cohort, [](ClientId) { return 0U; }, 0, common_);
    }
    if (!findings.looks.empty()) fleet.report(look_event(findings, look_rounds_));
    findings.sort();
    met_ = std::move(findings.met);
    if (!findings.unusable.empty()) fleet.report(unusable_event(findings));
    links_.found(findings.inside, round.number);
    links_.end_turn(round.cohort, round.number);
    warn_of_groups(fleet, round, circles.size(), findings);
  }

  std::vector<std::uint32_t> found_clusters() const override { return links_.groups(); }
  std::vector<std::pair<std::string, double>> own_metrics(std::span<const ClientId> judged) const override {
    return figures_of(met_, judged, neighbours_ == "truth");
  }
  void fields(Archive& a) override {
    personal_fields(a);
    a(links_, looks_, common_, met_);
  }

 protected:
  bool by_threshold() const override { return true; }
  bool trains_beside() const override { return by_gap(); }

 private:
  // Into how many groups so many clients are cut.
  std::size_t circles_of(std::size_t clients) const {
    if (groups_) return std::min(static_cast<std::size_t>(*groups_), clients);
    const auto size = static_cast<std::size_t>(group_size_.value_or(static_cast<std::int64_t>(clients)));
    return size == 0 ? 1 : (clients + size - 1) / size;
  }

  // Whether balls hold their owners alone in the smallest of the groups that so many clients are cut into.
  // A group size of one is taken to be intended.
  bool alone(std::size_t clients) const {
    const std::size_t size = clients / std::max<std::size_t>(circles_of(clients), 1);
    return size > 1 && neighbours_ == "threshold" && !by_gap() &&
           threshold_.held_at_first(size).value_or(2) < 2;
  }
  std::string alone_text(std::size_t clients) const {
    std::string text = fmt::format(
        "in groups of {} a ball of quantile = {} and factor = {} holds its owner alone, which is local "
        "training: choose a larger quantile",
        counted(clients / circles_of(clients), "client"), threshold_.share_inside(), threshold_.factor);
    const auto missing = static_cast<double>(2 - *threshold_.held_at_first(1));
    if (threshold_.share_inside() == 0) return text;
    return text +
           fmt::format(", or groups of at least {:.0f}", std::ceil(missing / threshold_.share_inside()));
  }

  // What the server holds of one gradient, at the run's precision.
  std::uint64_t gradient_bytes() const { return setting_->model.size() * real_size(setting_->precision); }
  // What it holds of one model while gradients are taken there: in double, and at the run's precision for
  // clients to read, once as it is and once packed.
  std::uint64_t model_bytes() const { return setting_->model.size() * sizeof(double) + 2 * gradient_bytes(); }
  // How many groups are worked on at once. Steps take less than the gradients they are made from.
  std::size_t in_flight(const Fleet& fleet, const std::vector<Circle>& circles) const {
    if (circles.empty()) return 1;
    const std::uint64_t size = circles[0].members.size();
    const auto each = static_cast<double>(size * (size * gradient_bytes() + model_bytes()));
    const double budget = std::min(memory_, fleet.memory()) * 1e9;
    return static_cast<std::size_t>(std::clamp(budget / each, 1.0, static_cast<double>(circles.size())));
  }

  // Lines 4 to 8 of Algorithm 2 for some groups.
  void work(Fleet& fleet, const Round& round, std::span<Circle> circles, Findings& findings) {
    Shelf models = gather_models(fleet, circles);
    if (by_gap()) look(fleet, round, circles, findings);
    std::map<ClientId, const Circle*> circle_of;
    for (const Circle& circle : circles) {
      for (const ClientId i : circle.members) circle_of[i] = &circle;
    }
    const auto form = this->form();
    // The place of client i's own gradient, where its reply is as it was asked for.
    auto fits = [&](ClientId i, const AtModelsReply& reply) {
      return reply.gradients.size() == circle_of.at(i)->members.size();
    };
    Collect<AtModelsReply, std::vector<Numbers>> replies(
        [](AtModelsReply& reply) { return std::move(reply.gradients); },
        [&](ClientId i, const AtModelsReply& reply) -> std::string {
          if (!fits(i, reply)) return "it did not send a gradient for each model";
          const Numbers& own = reply.gradients[circle_of.at(i)->place(i)];
          if (own.size() == 0) return "its gradient at its own model has values that are not finite";
          return form->refuse(0, 1, own);
        },
        largest_of(circles) * gradient_bytes());
    std::vector<ClientId> asked;
    for (const auto& [i, circle] : circle_of) asked.push_back(i);
    auto note = [&](ClientId i) {
      const Circle& circle = *circle_of.at(i);
      std::vector<std::uint32_t> items(circle.members.size());
      for (std::uint32_t k = 0; k < items.size(); ++k) items[k] = circle.first + k;
      return AtModelsNote{Items::only(std::move(items)), circle.number, circle.place(i), batch()};
    };
    fleet.ask(kAtModels, asked, models, note, {&replies});
    models = Shelf();  // from here on gradients will do

    std::map<const Circle*, std::vector<std::size_t>> answers;  // of each group, as places in replies.items
    for (std::size_t r = 0; r < replies.items.size(); ++r) {
      answers[circle_of.at(replies.items[r].first)].push_back(r);
    }
    std::vector<KnownNeighbourhood> found(replies.items.size());
    std::vector<std::vector<ClientId>> sources(replies.items.size());   // whose gradients could be used
    std::vector<std::vector<ClientId>> unusable(replies.items.size());  // and whose could not
    fleet.spread(found.size(), [&](std::size_t r) {
      const ClientId i = replies.items[r].first;
      const Circle& circle = *circle_of.at(i);
      std::vector<const Numbers*> gradients;
      Vec weights;
      std::size_t own = 0;
      FarPoints far;
      for (const std::size_t other : answers.at(&circle)) {
        const ClientId j = replies.items[other].first;
        const Numbers& gradient = replies.items[other].second[circle.place(i)];
        const double weight = client_weight(*setting_, fleet, j);
        if (other == r) own = gradients.size();
        if (other != r && !form->refuse(0, 1, gradient).empty()) {
          unusable[r].push_back(j);
          far = {far.count + 1, far.weight + weight};
          continue;
        }
        gradients.push_back(&gradient);
        sources[r].push_back(j);
        weights.push_back(weight);
      }
      found[r] = neighbours_of(i, sources[r], gradients, own, weights, far);
    });

    std::vector<ClientId> stepping;
    std::vector<Vec> steps;
    for (std::size_t r = 0; r < found.size(); ++r) {
      stepping.push_back(replies.items[r].first);
      steps.push_back(std::move(found[r].found.step));
    }
    replies.items = {};
    take_steps(
        fleet, stepping, std::move(steps),
        [&](ClientId i) {
          return static_cast<std::uint32_t>(std::lower_bound(stepping.begin(), stepping.end(), i) -
                                            stepping.begin());
        },
        momentum_);
    learn(stepping, sources, found, findings);
    for (const auto& senders : unusable) {
      for (const ClientId j : senders) ++findings.unusable[j];
    }
    for (std::size_t r = 0; r < stepping.size(); ++r) {
      if (!unusable[r].empty()) findings.unusable_at.push_back(stepping[r]);
    }
  }

  // Says where the groups are hardly what somebody hoped for: none after three looks, or, where all were in
  // one look, more than twice as many connected ones as it found.
  void warn_of_groups(Fleet& fleet, const Round& round, std::size_t circles, const Findings& findings) const {
    if (findings.looks.empty()) return;
    const bool whole = std::all_of(findings.looks.begin(), findings.looks.end(),
                                   [](const LookFound& look) { return look.groups == 1; });
    if (whole && round.number == 2 * look_every_ + 1) {
      fleet.report(
          {0,
           "warning",
           {},
           "three looks found no groups of clients: everybody steps with everybody. Where there should "
           "be groups, give more rounds or look_rounds, or try hcfl-plus",
           {}});
    }
    if (circles != 1 || round.cohort.size() != fleet.clients()) return;
    const std::vector<std::uint32_t> groups = links_.groups();
    const std::size_t count = groups.empty() ? 0 : 1 + *std::max_element(groups.begin(), groups.end());
    if (count > 2 * findings.looks[0].groups) {
      fleet.report(
          {0,
           "warning",
           {},
           fmt::format("a look found {}, but gradients connect clients to {}: some step nearly alone",
                       counted(findings.looks[0].groups, "group"), counted(count, "group")),
           {}});
    }
  }

  // Whether looks say who may be alike.
  bool by_gap() const {
    return neighbours_ == "threshold" &&
           (threshold_.rule == "gap" || (threshold_.rule == "auto" && !threshold_.quantile));
  }
  KnownNeighbourhood neighbours_of(ClientId i, const std::vector<ClientId>& sources,
                                   const std::vector<const Numbers*>& gradients, std::size_t own,
                                   const Vec& weights, const FarPoints& unusable) const {
    if (by_gap()) {
      std::vector<std::uint8_t> alike;
      for (const ClientId j : sources) alike.push_back(looks_.alike(i, j));
      return {looked_neighbourhood(gradients, own, weights, alike, unusable), {}, {}};
    }
    if (neighbours_ == "threshold") {
      return {neighbourhood(gradients, own, weights, threshold_, unusable), {}, {}};
    }
    std::vector<std::uint8_t> alike;
    for (const ClientId j : sources) alike.push_back(setting_->truth[j] == setting_->truth[i]);
    return known_neighbourhood(gradients, own, weights, std::move(alike));
  }

  // Looks, in the groups where one is due, at the common model.
  void look(Fleet& fleet, const Round& round, std::span<const Circle> circles, Findings& findings) {
    std::map<ClientId, const Circle*> due;
    for (const Circle& circle : circles) {
      if (!looks_.due(circle.members, round.number, static_cast<std::uint32_t>(look_every_))) continue;
      if (circle.members.size() < kFewestInLook) {
        const std::vector<std::uint32_t> one(circle.members.size(), 0);
        looks_.found(circle.members, circle.members, one, round.number, circle.number);
        continue;
      }
      for (const ClientId i : circle.members) due[i] = &circle;
    }
    if (due.empty()) return;
    const auto form = this->form();
    Collect<ChangeReply, Numbers> replies(
        [](ChangeReply& reply) { return std::move(reply.change); },
        [&](ClientId, const ChangeReply& reply) { return form->refuse(0, 1, reply.change); },
        gradient_bytes());
    std::vector<ClientId> asked;
    for (const auto& [i, circle] : due) asked.push_back(i);
    auto note = [&](ClientId i) {
      return ChangeNote{Items::all(), due.at(i)->number, static_cast<std::uint32_t>(look_rounds_)};
    };
    fleet.ask(kChange, asked, Shelf(common_, fleet.precision()), note, {&replies});
    for (const Circle& circle : circles) {
      if (circle.members.empty() || !due.contains(circle.members[0])) continue;
      std::vector<ClientId> answered;
      std::vector<const Numbers*> changes;
      for (const auto& [i, change] : replies.items) {
        if (due.at(i) != &circle) continue;
        answered.push_back(i);
        changes.push_back(&change);
      }
      Stream stream(setting_->seed, {Purpose::server, round.number, 1, circle.number});
      const GapParts parts = parts_of_changes(changes, setting_->model.trainable(), stream);
      looks_.found(circle.members, answered, parts.labels, round.number, circle.number);
      findings.looks.push_back({parts.count, parts.gap, parts.apart, parts.together});
    }
  }

  // The models of these groups' members; who does not send one leaves the group.
  Shelf gather_models(Fleet& fleet, std::span<Circle> circles) const {
    const auto form = this->form();
    Collect<ModelReply, Vec> sent(
        [](ModelReply& reply) { return Vec(reply.model); },
        [&](ClientId, const ModelReply& reply) { return form->refuse(0, 1, reply.model); },
        setting_->model.size() * sizeof(double));
    std::map<ClientId, std::uint32_t> circle_of;
    for (const Circle& circle : circles) {
      for (const ClientId i : circle.members) {
        if (has_model(i)) circle_of[i] = circle.number;
      }
    }
    std::vector<ClientId> holders;
    for (const auto& [i, circle] : circle_of) holders.push_back(i);
    auto note = [&](ClientId i) { return ModelNote{Items::none(), circle_of.at(i)}; };
    fleet.ask(kSendModel, holders, Shelf(), note, {&sent});
    std::map<ClientId, Vec> models;
    for (auto& [i, model] : sent.items) models.emplace(i, std::move(model));

    Shelf shelf;
    for (Circle& circle : circles) {
      std::erase_if(circle.members, [&](ClientId i) { return has_model(i) && !models.contains(i); });
      circle.first = static_cast<std::uint32_t>(shelf.size());
      for (const ClientId i : circle.members) {
        shelf.add(Shared(has_model(i) ? std::move(models.at(i)) : start_model(i), fleet.precision()));
      }
    }
    return shelf;
  }

  // Who was in whose ball.
  static void learn(const std::vector<ClientId>& clients, const std::vector<std::vector<ClientId>>& sources,
                    const std::vector<KnownNeighbourhood>& found, Findings& findings) {
    for (std::size_t r = 0; r < clients.size(); ++r) {
      double count = 0;
      for (std::size_t k = 0; k < sources[r].size(); ++k) {
        if (!found[r].found.inside[k]) continue;
        count += 1;
        if (sources[r][k] != clients[r]) findings.inside.emplace_back(clients[r], sources[r][k]);
      }
      findings.met.push_back({clients[r], count, found[r].within, found[r].between});
    }
  }

  std::optional<std::int64_t> group_size_;
  std::optional<std::int64_t> groups_;
  double momentum_ = 0;
  double memory_ = 1;
  std::int64_t look_every_ = 10;
  std::int64_t look_rounds_ = 20;
  std::string neighbours_ = "threshold";
  ThresholdOptions threshold_;

  Links links_;
  Looks looks_;
  std::vector<Vec> common_;  // one model, trained by averaging over all, at which looks are taken
  std::vector<Met> met_;     // of the last round
};

const Registration<Algorithm> kFederatedClustering{
    "federated-clustering",
    "a model for each client, stepped by those whose gradients are like its own there",
    [] { return std::make_unique<FederatedClustering>(); }};

}  // namespace
}  // namespace coterie
