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
// model it was started with, as all do where nobody gave a model. A start that knows memberships ("kmeans++")
// is taken as it is. One cluster is fedavg, unless their number is found: there is nothing to find, so nobody
// is asked. More clusters than clients are an error, except for a
// single client.
//
// Two more methods of one grouping are here by options:
//   FL+HC (Briggs, Fan and Andras, 2020): by = "updates", cluster = "hierarchical". After `warm_up` rounds of
//       FedAvg with all clients, each client's update, what one more round of its training changes, is
//       grouped by agglomerative clustering, cut at a `threshold` (count = "threshold") or into
//       clusters.count.
//   FedClust (Islam et al., 2024): by = "last-layer", cluster = "hierarchical". Clients train the common
//   start
//       once, and the weights of the last layer that come out are grouped: they tell most of a client's
//       classes and are a small part of a network. No warm-up.
// In both, groups begin with the mean of what their clients trained. Choose them for networks, where minima
// mean little. Differs from the papers: distances are a choice, and count = "gap" finds the number of groups
// from cosines, without a threshold that has units (src/clustering/gap_parts.h).
#include <fmt/format.h>

#include "base/text.h"
#include "clustering/agglomerative.h"
#include "clustering/gap_parts.h"
#include "clustering/kmeans.h"
#include "coterie/methods/choose.h"
#include "coterie/methods/erm.h"
#include "coterie/methods/slots.h"
#include "coterie/methods/train.h"
#include "math/cosine.h"

namespace coterie {
namespace {

// By what clients are grouped, and how.
struct OneGroupingOptions {
  std::string by = "models";        // or "updates", "last-layer"
  std::string cluster = "kmeans";   // or "hierarchical"
  std::string linkage = "average";  // or "complete", "single"
  std::string distance = "euclidean";
  std::string count = "given";  // or "threshold", "gap"
  std::optional<double> threshold;
  double gap = 1.5;
  std::optional<std::int64_t> warm_up;

  void options(Options& o) {
    o.choice(
        "by", by, {"models", "updates", "last-layer"},
        "what clients are grouped by: their own models; what a round of training changes (FL+HC); the last "
        "layer after it (FedClust)");
    o.choice("cluster", cluster, {"kmeans", "hierarchical"}, "k-means, or agglomerative clustering");
    o.choice("linkage", linkage, {"average", "complete", "single"}, "of hierarchical clustering");
    o.choice("distance", distance, {"euclidean", "cosine"}, "of hierarchical clustering");
    o.choice(
        "count", count, {"given", "threshold", "gap"},
        "how many groups hierarchical clustering makes: clusters.count, those farther apart than threshold, "
        "or as many as the gap rule finds");
    o("threshold", &threshold, "distance at which groups are no longer joined (count = \"threshold\")",
      at_least(0));
    o("gap", &gap, "least ratio of eigenvalues that counts as a gap (count = \"gap\")", above(1));
    o("warm_up", &warm_up,
      "rounds of FedAvg before clients are grouped by what they train; 5 for updates and 0 for last-layer "
      "when "
      "not given",
      between(0, 1000000));
    o.require(count == "given" || cluster == "hierarchical", "count", "needs cluster = \"hierarchical\"");
    o.require(count != "threshold" || threshold.has_value(), "threshold", "count = \"threshold\" needs it");
    o.require(by != "models" || !warm_up, "warm_up", "needs by = \"updates\" or \"last-layer\"");
  }
  bool finds_count() const { return count != "given"; }
  std::int64_t rounds() const { return warm_up.value_or(by == "updates" ? 5 : 0); }

  std::vector<std::uint32_t> group(const Points& points, std::size_t k, const KMeansOptions& kmeans_options,
                                   Stream& stream) const {
    if (cluster == "kmeans") return kmeans(points, k, kmeans_options, stream).labels;
    const Linkage by_linkage = linkage_named(linkage);
    const Dendrogram tree = distance == "cosine"
                                ? agglomerate(cosine_distances(points), points.count, by_linkage)
                                : agglomerate(points, by_linkage);
    if (count == "threshold") return tree.cut_at(*threshold);
    if (count == "gap") k = gap_parts(cosine_similarities(points), points.count, gap, stream).count;
    return tree.cut_into(std::min(k, points.count));
  }
};

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
    grouping_.options(o);
  }
  bool begins_at_random() const override { return false; }  // k-means has restarts of its own
  std::vector<std::string> warnings(const Fleet& fleet) const override {
    if (setting_->clusters == 1 || grouping_.by != "models") return {};
    return local_erm_warnings(fleet, *setting_, erm_);
  }
  std::vector<const AnyJob*> jobs() const override {
    if (grouping_.by == "models") return {&erm_job(), &kTrainInCluster};
    return {&train_job(), &kTrainInCluster};
  }

  void start(Fleet& fleet, Start start) override {
    models_ = std::move(start.models);
    const bool one = models_.size() == 1 && !grouping_.finds_count();
    clusters_.assign(fleet.clients(), one ? 0 : kUnknownCluster);
    if (!start.memberships.empty()) {
      clusters_ = std::move(start.memberships);
    } else if (!one) {
      if (models_.size() > fleet.clients() && fleet.clients() > 1 && !grouping_.finds_count()) {
        throw Error(
            fmt::format("clusters.count = {}: algorithm.kind = \"one-shot\" groups {} clients, and needs "
                        "at least one for each cluster",
                        models_.size(), fleet.clients()));
      }
      group(fleet);
      if (models_.size() == 1) clusters_.assign(fleet.clients(), 0);
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
  // What clients train, each by itself, from the model that all of them have averaged: models_[0].
  LocalModels ask_trained(Fleet& fleet) {
    const std::size_t size = setting_->model.size();
    const std::vector<ClientId> all = fleet.everyone();
    LocalModels out;
    fleet.before_rounds([&](const Fleet::Begin& begin) {
      std::vector<Vec> common = {models_[0]};
      for (std::int64_t t = 0; t < grouping_.rounds(); ++t) {
        begin(static_cast<std::uint32_t>(t + 1), 0);
        train_and_average(
            fleet, *setting_, all, [](ClientId) { return 0; }, 0, common);
      }
      models_[0] = std::move(common[0]);
      begin(static_cast<std::uint32_t>(grouping_.rounds() + 1), 0);
      const auto form = setting_->aggregate.slots(1, size, 1);
      Collect<TrainReply, Numbers> trained(
          [](TrainReply& reply) { return std::move(reply.model); },
          [&](ClientId, const TrainReply& reply) { return form->refuse(0, 1, reply.model); },
          2 * size * sizeof(double));
      const Shelf shelf({models_[0]}, fleet.precision());
      auto note = [](ClientId) { return TrainNote{Items::only({0}), 0, 0}; };
      out.clients = fleet.ask(train_job(), all, shelf, note, {&trained});
      for (auto& [client, reply] : trained.items) {
        const Vec model = std::exchange(reply, {});
        out.values.insert(out.values.end(), model.begin(), model.end());
      }
    });
    return out;
  }

  // The part of what clients sent that they are grouped by.
  Points compared(const LocalModels& local, Vec& room) const {
    const Model& model = setting_->model;
    const std::size_t count = local.clients.size(), end = model.trainable();
    if (grouping_.by == "models") return {local.stepped(model, room), count, end};
    const std::size_t begin = grouping_.by == "last-layer" ? model.head() : 0;
    room.clear();
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = begin; j < end; ++j) {
        room.push_back(local.values[i * model.size() + j] - (grouping_.by == "updates" ? models_[0][j] : 0));
      }
    }
    return {room, count, end - begin};
  }

  // Lines 1 and 2 of Algorithm 1, and the mean of each group.
  void group(Fleet& fleet) {
    const std::size_t size = setting_->model.size();
    const LocalModels local =
        grouping_.by == "models" ? ask_local_models(fleet, *setting_, erm_) : ask_trained(fleet);
    if (local.clients.empty()) return;
    Points points{local.values, local.clients.size(), size};
    Stream stream(setting_->seed, {Purpose::server, 0, 0, 0});
    Vec room;
    const std::vector<std::uint32_t> labels =
        grouping_.group(compared(local, room), models_.size(), kmeans_, stream);
    if (grouping_.finds_count()) take_count(fleet, labels);
    auto slots =
        setting_->aggregate.slots(models_.size(), size, total_weight(*setting_, fleet, local.clients));
    slots->open(1);
    for (std::size_t i = 0; i < local.clients.size(); ++i) {
      ClientId client = local.clients[i];
      clusters_[client] = labels[i];
      slots->add(0, client, labels[i], client_weight(*setting_, fleet, client),
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

  // As many models as groups were found.
  void take_count(Fleet& fleet, const std::vector<std::uint32_t>& labels) {
    const std::size_t found = 1 + *std::max_element(labels.begin(), labels.end());
    fleet.report({0,
                  "cluster-count",
                  {},
                  fmt::format("{} found, by {}", counted(found, "group was", "groups were"), grouping_.count),
                  {{"clusters", static_cast<double>(found)}}});
    models_.resize(found, models_[0]);
  }

  ErmOptions erm_;
  KMeansOptions kmeans_;
  OneGroupingOptions grouping_;
  std::vector<Vec> models_;
  std::vector<std::uint32_t> clusters_;  // of the training clients; kUnknownCluster where no model came
};

const Registration<Algorithm> kOneShot{
    "one-shot", "clients' own models are grouped once, then averaged inside each group",
    [] { return std::make_unique<OneShot>(); }};

}  // namespace
}  // namespace coterie
