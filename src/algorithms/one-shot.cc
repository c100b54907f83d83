// One-shot clustering (Ghosh et al., 2020, Algorithm 1): every client solves for its own model, the server
// groups those models by k-means once, and federated averaging goes on inside each group. Groups never
// change.
//
// Choose it for convex models and clients with enough samples to learn alone: it needs no good start. Where
// some clients have too few samples, their group is a guess that nothing corrects; prefer ifca. Models of a
// network can be far apart and yet do the same, so groups of them mean less.
//
// Differs from the paper, which leaves these open: all clients are asked for their own model before round 1,
// whatever the participation of rounds. A client that gave no usable model then joins, at its next turn, the
// group whose model has the lowest loss on its data, and stays there; until then it is served like an unseen
// client. Groups begin with the mean of their clients' models, as [aggregate] says; an empty one, with the
// model it was started with. A start that knows memberships ("kmeans++") is taken as it is. One cluster is
// fedavg: there is nothing to find, so nobody is asked. More clusters than clients are an error, except for a
// single client.
#include <fmt/format.h>

#include "clustering/kmeans.h"
#include "coterie/methods/choose.h"
#include "coterie/methods/erm.h"
#include "coterie/methods/slots.h"
#include "coterie/methods/train.h"

namespace coterie {
namespace {

struct OneShotNote {
  Items items;  // the client's cluster, or all models when it has none yet
  void fields(Archive& a) { a(items); }
};

struct OneShotReply {
  std::uint32_t cluster = 0;
  Numbers model;
  void fields(Archive& a) { a(cluster, model); }
};

// Trains the only model that was sent, or of several the one with the lowest objective.
const Job<OneShotNote, OneShotReply> kTrainInCluster("one-shot", [](const Shelf& shelf, const OneShotNote&,
                                                                    ClientView& view) {
  std::vector<std::uint32_t> sent;
  for (std::uint32_t k = 0; k < shelf.size(); ++k) {
    if (shelf.has(k)) sent.push_back(k);
  }
  if (sent.empty()) throw Error("no model was sent");
  std::uint32_t cluster = sent[0];
  if (sent.size() > 1) {
    Vec losses;
    for (std::uint32_t k : sent) losses.push_back(objective_at(view, shelf[k]));
    cluster = sent[lowest(losses)];
  }
  return OneShotReply{cluster, view.train(shelf[cluster])};
});

class OneShot : public Algorithm {
 public:
  void options(Options& o) override {
    erm_.options(o);
    kmeans_.options(o);
  }
  bool begins_at_random() const override { return false; }  // k-means has restarts of its own
  std::vector<std::string> warnings(const Fleet& fleet) const override {
    return setting_->clusters > 1 ? local_erm_warnings(fleet, *setting_, erm_) : std::vector<std::string>{};
  }
  std::vector<const AnyJob*> jobs() const override { return {&erm_job(), &kTrainInCluster}; }

  void start(Fleet& fleet, Start start) override {
    models_ = std::move(start.models);
    clusters_.assign(fleet.clients(), models_.size() == 1 ? 0 : kUnknownCluster);
    if (!start.memberships.empty()) {
      clusters_ = std::move(start.memberships);
    } else if (models_.size() > 1) {
      if (models_.size() > fleet.clients() && fleet.clients() > 1) {
        throw Error(
            fmt::format("clusters.count = {}: algorithm.kind = \"one-shot\" groups {} clients, and needs "
                        "at least one for each cluster",
                        models_.size(), fleet.clients()));
      }
      group(fleet);
    }
  }

  void round(Fleet& fleet, const Round& round) override {
    auto slots = setting_->aggregate.slots(models_.size(), setting_->model.size(),
                                           total_weight(*setting_, fleet, round.cohort));
    IntoSlots<OneShotReply> means(*slots, &OneShotReply::model, [&](ClientId i, const OneShotReply& reply) {
      return SlotWeight{reply.cluster, client_weight(*setting_, fleet, i)};
    });
    Collect<OneShotReply, std::uint32_t> found(
        [](OneShotReply& reply) { return reply.cluster; },
        [&](ClientId i, const OneShotReply& reply) {
          bool known = clusters_[i] != kUnknownCluster;
          return known && reply.cluster != clusters_[i] ? std::string("it trained another cluster's model")
                                                        : std::string();
        });
    auto note = [&](ClientId i) { return OneShotNote{offer_items(i)}; };
    fleet.ask(kTrainInCluster, round.cohort, Shelf(models_, fleet.precision()), note, {&means, &found});
    for (std::size_t k = 0; k < models_.size(); ++k) models_[k] = slots->mean_or(k, models_[k]);
    for (const auto& [client, cluster] : found.items) clusters_[client] = cluster;
  }

  Offer offer() const override { return {models_}; }
  Items offer_items(ClientId client) const override {
    bool known = client < clusters_.size() && clusters_[client] != kUnknownCluster;
    return known ? Items::only({clusters_[client]}) : Items::all();
  }
  void fields(Archive& a) override { a(models_, clusters_); }

 private:
  // Lines 1 and 2 of Algorithm 1, and the mean of each group.
  void group(Fleet& fleet) {
    const std::size_t size = setting_->model.size();
    LocalModels local = ask_local_models(fleet, *setting_, erm_);
    Points points{local.values, local.clients.size(), size};
    Stream stream(setting_->seed, {Purpose::server, 0, 0, 0});
    Vec room;
    Grouping groups =
        kmeans({local.stepped(setting_->model, room), local.clients.size(), setting_->model.trainable()},
               models_.size(), kmeans_, stream);
    auto slots =
        setting_->aggregate.slots(models_.size(), size, total_weight(*setting_, fleet, local.clients));
    slots->open(1);
    for (std::size_t i = 0; i < local.clients.size(); ++i) {
      ClientId client = local.clients[i];
      clusters_[client] = groups.labels[i];
      slots->add(0, client, groups.labels[i], client_weight(*setting_, fleet, client),
                 Vec(points[i].begin(), points[i].end()));
    }
    slots->close();
    for (std::size_t k = 0; k < models_.size(); ++k) {
      if (slots->members(k) == 0) {
        fleet.report({0,
                      "empty-cluster",
                      {},
                      fmt::format("no client is in cluster {}; its model stays as it is", k),
                      {}});
      }
      models_[k] = slots->mean_or(k, models_[k]);
    }
  }

  ErmOptions erm_;
  KMeansOptions kmeans_;
  std::vector<Vec> models_;
  std::vector<std::uint32_t> clusters_;  // of the training clients; kUnknownCluster where no model came
};

const Registration<Algorithm> kOneShot{
    "one-shot", "clients' own models are grouped once, then averaged inside each group",
    [] { return std::make_unique<OneShot>(); }};

}  // namespace
}  // namespace coterie
