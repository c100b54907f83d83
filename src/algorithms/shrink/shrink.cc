// Partial pooling: a model for each group of clients, and at each client a model of its own that is pulled
// towards it,
//
//   min over v_i   n_i f_i(v_i) + lambda/2 (v_i - w_k)' M_k (v_i - w_k)
//
// with f_i the client's mean objective over its n_i rows, w_k the model of its group, and M_k the mean
// curvature of the group's rows at w_k. So lambda counts rows: the group's model weighs as much as lambda
// rows of everybody's, and units of columns do not matter. It is the empirical Bayes estimate of a mixed
// model with random coefficients (lme4, statsmodels' MixedLM) whose spread is proportional to M_k^-1, with
// lambda chosen by prediction. One number lambda serves all clients: the one of a fixed grid with the least
// loss over rows that clients held out in turn (an event "pull" tells the loss of each). At the ends of the
// grid it is one model for each group, or each client alone.
//
// Groups are those of the start (init = "mixture", "odcl", "kmeans++" ...) and never change; with
// clusters.count = 1 there is one. A client whose group the start does not know joins, at its first turn, the
// group whose model has the lowest objective.
//
// Choose it where clients are alike but not the same: it is the first thing to try before clusters, and
// inside clusters it lets members differ.
//
// With own = "intercept" clients have an intercept of their own and share the rest: a mixed model with random
// intercepts. The rest is then the minimum beside these intercepts, not the one of a common model, which
// takes on what clients differ in as a whole wherever that goes with a column.
//
// Convex models of up to 1,000 parameters are solved exactly in one round, by Newton's method over clients:
// w_k is the minimum over the rows of the group's clients in the cohort. Other models are averaged for all
// rounds; in the last one every client trains its own for `tuning` rounds from w_k, with M_k = 1 as a
// proximal term. Held-out rows are then the validation part, if there is one; else every fifth training row,
// which w_k has seen, so that pulls come out a little too strong.
//
// A client that was never asked predicts with its group's model.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "algorithms/shrink/client.h"
#include "base/text.h"
#include "coterie/methods/newton.h"
#include "coterie/methods/slots.h"
#include "coterie/methods/train.h"

namespace coterie {
namespace {

// Intercepts are first hardly pulled: their pull is chosen beside weights that they do not bend.
constexpr double kFirstPull = 1;
constexpr double kLeastPull = 1e-3;

class Shrink : public Algorithm {
 public:
  void options(Options& o) override {
    o.choice(
        "pull", pull_, {"validated", "full", "none", "given"},
        "of clients' own models towards their group's: chosen on held-out rows; full: one model for each "
        "group and no own ones; none: alone; given: lambda");
    o("lambda", &lambda_, "the pull, as so many rows of everybody's (pull = \"given\")", at_least(0));
    o.choice("own", own_, {"all", "intercept"},
             "which parameters clients have of their own: all, or only the intercept of a linear model");
    o.choice(
        "models", models_kind_, {"auto", "exact", "rounds"},
        "exact: minima by Newton's method (convex models of up to 1,000 parameters); rounds: training as "
        "[local] says, and averaging; auto: exact where it can be");
    o("tuning", &tuning_, "rounds of local training that make a client's own model (models = \"rounds\")",
      between(1, 1000000));
  }
  void prepare(const Setting& setting) override {
    Algorithm::prepare(setting);
    const bool can = has_curvature(setting.model) && setting.model.size() <= kMostCurved;
    if (models_kind_ == "exact" && !can) {
      throw Error(fmt::format(
          "algorithm.shrink.models = \"exact\" needs linear, logistic or softmax regression with at most {} "
          "parameters; use \"rounds\"",
          kMostCurved));
    }
    exact_ = can && models_kind_ != "rounds";
    if (own_ == "intercept" && (!exact_ || trailing_intercepts(setting.model) == 0)) {
      throw Error(
          "algorithm.shrink.own = \"intercept\" needs linear, logistic or softmax regression with an "
          "intercept "
          "and exact models");
    }
  }
  bool personal() const override { return pull_ != "full"; }
  bool trains() const override { return !exact_; }
  bool uses_solver() const override { return !exact_; }
  bool plans_ahead() const override { return !exact_ && personal(); }
  bool begins_at_random() const override { return false; }
  std::vector<std::string> warnings(const Fleet&) const override {
    if (!exact_ || setting_->aggregate.kind == "mean") return {};
    return {"aggregate.kind is not read: exact minima are over all rows of a group at once"};
  }
  std::vector<const AnyJob*> jobs() const override {
    return {&curved_job(), &own_intercept_job(), &join_job(), &train_job(), &try_pulls_job(), &shrink_job()};
  }

  Vec settle(const Shelf& offer, ClientView& view) const override {
    return personal() ? Vec{1.0} : Algorithm::settle(offer, view);
  }
  Shared model_of(const Shelf& offer, const Vec& weights, ClientView& view) const override {
    return personal() ? shrunk_model(offer, view) : Algorithm::model_of(offer, weights, view);
  }
  Predictions predict(const Shelf& offer, const Vec& weights, ClientView& view, Part part) const override {
    if (!personal()) return Algorithm::predict(offer, weights, view, part);
    return predict_mixture({shrunk_model(offer, view)}, {1.0}, view, part);
  }

  void start(Fleet& fleet, Start start) override {
    models_ = std::move(start.models);
    clusters_ = std::move(start.memberships);
    if (clusters_.empty()) clusters_.assign(fleet.clients(), models_.size() == 1 ? 0 : kUnknownCluster);
    has_model_.assign(fleet.clients(), 0);
    finished_ = false;
  }
  void round(Fleet& fleet, const Round& round) override {
    join(fleet, round.cohort);
    if (exact_) {
      shrink(fleet, minimise(fleet, members_of(fleet, round.cohort)));
      finished_ = !setting_->redealt && round.cohort.size() == fleet.clients();
      return;
    }
    std::vector<ClientId> placed;
    for (const ClientId i : round.cohort) {
      if (clusters_[i] != kUnknownCluster) placed.push_back(i);
    }
    train_and_average(
        fleet, *setting_, placed, [&](ClientId i) { return clusters_[i]; }, 0, models_);
    if (round.number != round.last || !personal()) return;
    join(fleet, fleet.everyone());
    std::vector<Group> groups(models_.size());
    const auto members = members_of(fleet, fleet.everyone());
    for (std::size_t k = 0; k < groups.size(); ++k) groups[k].clients = members[k];
    shrink(fleet, groups);
  }
  bool finished() const override { return finished_; }
  std::vector<std::uint32_t> found_clusters() const override {
    if (!personal()) return {};
    std::vector<std::uint32_t> found = clusters_;
    auto next = static_cast<std::uint32_t>(models_.size());
    for (std::uint32_t& cluster : found) {
      if (cluster == kUnknownCluster) cluster = next++;
    }
    return found;
  }
  Offer offer() const override { return {models_}; }
  Items offer_items(ClientId client) const override {
    if (client >= clusters_.size()) return Items::all();
    if (has_model_[client]) return Items::none();
    return clusters_[client] == kUnknownCluster ? Items::all() : Items::only({clusters_[client]});
  }
  void fields(Archive& a) override { a(models_, clusters_, has_model_, finished_); }

 private:
  // What a round knows of a group.
  struct Group {
    std::vector<ClientId> clients;  // who answered, ascending
    Vec curvature = {0};            // a triangle
    double rows = 0;
  };

  // Clients without a group name the model that suits them.
  void join(Fleet& fleet, const std::vector<ClientId>& cohort) {
    std::vector<ClientId> homeless;
    for (const ClientId i : cohort) {
      if (clusters_[i] == kUnknownCluster && fleet.samples(i) > 0) homeless.push_back(i);
    }
    if (homeless.empty()) return;
    Collect<JoinReply, std::uint32_t> named(
        [](JoinReply& reply) { return reply.cluster; },
        [&](ClientId, const JoinReply& reply) {
          return reply.cluster < models_.size() ? std::string() : "it names a group that there is not";
        });
    fleet.ask(join_job(), homeless, Shelf(models_, fleet.precision()), [](ClientId) { return JoinNote{}; },
              {&named});
    for (const auto& [client, cluster] : named.items) clusters_[client] = cluster;
  }

  std::vector<std::vector<ClientId>> members_of(const Fleet& fleet,
                                                const std::vector<ClientId>& cohort) const {
    std::vector<std::vector<ClientId>> members(models_.size());
    for (const ClientId i : cohort) {
      if (clusters_[i] < members.size() && fleet.samples(i) > 0) members[clusters_[i]].push_back(i);
    }
    return members;
  }

  std::vector<Group> minimise(Fleet& fleet, const std::vector<std::vector<ClientId>>& members) {
    std::vector<Group> groups(models_.size());
    for (std::size_t k = 0; k < groups.size(); ++k) {
      if (members[k].empty()) continue;
      JointMinimum found = solve_by_newton(fleet, *setting_, members[k]);
      if (found.clients.empty()) continue;
      models_[k] = std::move(found.model);
      raise_diagonal(found.curvature, setting_->model.size(), fleet.precision());
      groups[k] = {std::move(found.clients), triangle_of(found.curvature, setting_->model.size()),
                   found.rows};
      if (!found.converged) report_inexact(fleet, k);
    }
    return groups;
  }
  static void report_inexact(Fleet& fleet, std::size_t k) {
    fleet.report({0,
                  "inexact",
                  {},
                  fmt::format("the model of group {} did not meet the tolerance", k),
                  {{"cluster", static_cast<double>(k)}}});
  }

  // Everything about one client's own model but the pull.
  ShrinkNote note_for(ClientId client, const std::vector<Group>& groups) const {
    const std::uint32_t k = clusters_[client], at = static_cast<std::uint32_t>(models_.size()) + k;
    ShrinkNote note;
    note.items = exact_ ? Items::only({k, at}) : Items::only({k});
    note.model = k;
    note.curvature = at;
    note.exact = exact_;
    note.intercept = own_ == "intercept";
    note.tuning = static_cast<std::uint32_t>(tuning_);
    note.rows = groups[k].rows;
    return note;
  }

  void shrink(Fleet& fleet, std::vector<Group> groups) {
    if (!personal()) return;
    const std::vector<Vec> common = models_;
    const bool intercepts = exact_ && own_ == "intercept";
    if (intercepts) share_the_rest(fleet, groups, pull_ == "validated" ? kFirstPull : given());
    std::vector<ClientId> clients = members(groups);
    const double lambda = pull_ == "validated" ? validated(fleet, clients, groups) : given();
    if (intercepts && pull_ == "validated") {
      if (std::isinf(lambda)) {
        models_ = common;
      } else if (lambda != kFirstPull) {
        share_the_rest(fleet, groups, lambda);
      }
    }
    if (clients.empty()) return;
    auto note = [&](ClientId i) {
      ShrinkNote one = note_for(i, groups);
      one.lambda = std::isinf(lambda) ? -1 : lambda;
      return one;
    };
    for (const ClientId i : fleet.ask(shrink_job(), clients, shelf_of(fleet, groups), note, {}))
      has_model_[i] = 1;
  }
  double given() const { return pull_ == "none" ? 0 : lambda_; }

  static std::vector<ClientId> members(const std::vector<Group>& groups) {
    std::vector<ClientId> clients;
    for (const Group& group : groups)
      clients.insert(clients.end(), group.clients.begin(), group.clients.end());
    std::sort(clients.begin(), clients.end());
    return clients;
  }
  Shelf shelf_of(const Fleet& fleet, const std::vector<Group>& groups) const {
    std::vector<Vec> items = models_;
    for (const Group& group : groups) {
      if (exact_) items.push_back(group.curvature);
    }
    return Shelf(items, fleet.precision());
  }

  // The models of the groups beside clients' own intercepts under this pull. A little pull is left where
  // there is none, so that the groups' own intercepts are the means of their clients'.
  void share_the_rest(Fleet& fleet, std::vector<Group>& groups, double lambda) {
    for (std::size_t k = 0; k < groups.size(); ++k) {
      if (groups[k].clients.empty()) continue;
      JointMinimum found = solve_by_newton(fleet, *setting_, groups[k].clients,
                                           {groups[k].curvature, std::max(lambda, kLeastPull)}, models_[k]);
      groups[k].clients = std::move(found.clients);
      if (groups[k].clients.empty()) continue;
      models_[k] = std::move(found.model);
      if (!found.converged) report_inexact(fleet, k);
    }
  }

  // The pull with the least loss on held-out rows; of equals the strongest.
  double validated(Fleet& fleet, std::vector<ClientId>& clients, const std::vector<Group>& groups) {
    if (clients.empty()) return 0;
    Collect<TriedReply, TriedReply> tried(
        [](TriedReply& reply) { return std::move(reply); },
        [](ClientId, const TriedReply& reply) -> std::string {
          return reply.losses.size() == std::size(kPulls) && reply.rows >= 0 ? "" : "it tells of other pulls";
        },
        std::size(kPulls) * sizeof(double));
    auto note = [&](ClientId i) { return note_for(i, groups); };
    clients = fleet.ask(try_pulls_job(), clients, shelf_of(fleet, groups), note, {&tried});
    Vec sums(std::size(kPulls), 0.0);
    double rows = 0;
    for (const auto& [client, reply] : tried.items) {
      const Vec losses = reply.losses;
      for (std::size_t g = 0; g < sums.size(); ++g) sums[g] += losses[g];
      rows += reply.rows;
    }
    std::size_t best = sums.size() - 1;
    for (std::size_t g = sums.size() - 1; g-- > 0;) {
      if (sums[g] < sums[best]) best = g;
    }
    report_choice(fleet, sums, rows, best, tried.items.size());
    return kPulls[best];
  }

  static void report_choice(Fleet& fleet, const Vec& sums, double rows, std::size_t best,
                            std::size_t clients) {
    Event event{0, "pull", {}, "", {}};
    std::string all;
    for (std::size_t g = 0; g < sums.size(); ++g) {
      const std::string name = std::isinf(kPulls[g]) ? "full" : fmt::format("{:g}", kPulls[g]);
      const double loss = rows > 0 ? sums[g] / rows : 0;
      event.numbers.emplace_back("loss at " + name, loss);
      all += fmt::format("{}{} {:.5g}", all.empty() ? "" : ", ", name, loss);
    }
    event.numbers.emplace_back("lambda", std::isinf(kPulls[best]) ? -1 : kPulls[best]);  // -1: full
    const std::string chosen = std::isinf(kPulls[best]) ? "full (the group's model)"
                               : kPulls[best] == 0      ? "none (each client alone)"
                                                        : fmt::format("{:g} rows", kPulls[best]);
    event.text = fmt::format("the pull is {}, by the mean loss over {} held-out rows of {}: {}", chosen, rows,
                             counted(clients, "client"), all);
    fleet.report(std::move(event));
  }

  std::string pull_ = "validated";
  double lambda_ = 10;
  std::string own_ = "all";
  std::string models_kind_ = "auto";
  std::int64_t tuning_ = 5;
  bool exact_ = false;

  std::vector<Vec> models_;              // of the groups
  std::vector<std::uint32_t> clusters_;  // of the training clients
  std::vector<std::uint8_t> has_model_;
  bool finished_ = false;
};

const Registration<Algorithm> kShrink{
    "shrink", "partial pooling: own models, pulled towards their group's as validated",
    [] { return std::make_unique<Shrink>(); }};

}  // namespace
}  // namespace coterie
