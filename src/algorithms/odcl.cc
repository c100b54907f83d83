// ODCL (Armacki, Bajovic, Jakovetic and Kar, 2022, Algorithm 1): every client sends the model that fits its
// own data best, the server groups these models and sends each client the plain mean of its group
// ([aggregate] kind names other ways to combine them). One round, no initial models, and K need not be known
// (clustering = "convex", or count = "elbow" or "silhouette").
//
// Choose it when communication is dear, the model is convex, and each client has samples enough to learn
// something alone; k-means++ is the choice when K is known. As a start (clusters.init = "odcl") it gives
// others what it found. Clients with less data than parameters are better served by ifca.
//
// Differs from the paper, where all clients take part at once: a client is asked at its first turn, and again
// at its next ones until its model has come, `asks` times at most. The server groups all models that it has
// whenever new ones came; groups keep the numbers under which most of their clients were known. A client that
// was not asked yet, or whose own model cannot be used, is served like an unseen one, by the model of lowest
// loss. Falling below fleet.quorum ends the run only while there is no model at all. When nobody is left to
// ask, the run ends. Where there are fewer models than clusters, each is a cluster. The event
// "clusters-found" tells how far apart the groups are. Models are delivered at the end of the run, as for
// every method.
#include <algorithm>

#include "clustering/clustering.h"
#include "clustering/relabel.h"
#include "coterie/methods/grouping.h"

namespace coterie {
namespace {

class Odcl : public Algorithm {
 public:
  void options(Options& o) override {
    erm_.options(o);
    clustering_.options(o);
    weights_.options(o);
    o("asks", &asks_, "turns at which a client is asked for its model, until it comes", between(1, 255));
  }
  bool needs_truth() const override { return clustering_.needs_truth(); }
  bool trains() const override { return false; }
  bool uses_solver() const override { return erm_.solver == "local"; }
  bool begins_at_random() const override { return false; }
  std::vector<std::string> warnings(const Fleet& fleet) const override {
    std::vector<std::string> all = local_erm_warnings(fleet, *setting_, erm_);
    if (needs_truth() && setting_->true_clusters() < 2) {
      all.push_back(
          clustering_.table +
          ".convex.rule = \"interval\" takes lambda from the true clusters, of which fewer than two "
          "are known: all clients become one group. Use rule = \"clusterpath\", which needs none");
    }
    return all;
  }
  std::vector<const AnyJob*> jobs() const override { return {&erm_job()}; }

  void start(Fleet& fleet, Start start) override {
    models_ = std::move(start.models);
    clusters_.assign(fleet.clients(), kUnknownCluster);
    asked_.assign(fleet.clients(), 0);
    local_ = {};
  }

  void round(Fleet& fleet, const Round& round) override {
    LocalModels fresh = ask_missing(fleet, round);
    if (fresh.clients.empty()) return;
    add(std::move(fresh));
    Start found =
        group_models(fleet, *setting_, local_, clustering_, weights_, setting_->clusters, setting_->truth);
    const std::vector<std::uint32_t> numbers =
        renumbered(clusters_, found.memberships, found.models.size(), kUnknownCluster);
    models_.resize(numbers.size());
    for (std::size_t g = 0; g < numbers.size(); ++g) models_[numbers[g]] = std::move(found.models[g]);
    for (std::size_t i = 0; i < clusters_.size(); ++i) {
      const std::uint32_t group = found.memberships[i];
      clusters_[i] = group == kUnknownCluster ? group : numbers[group];
    }
  }

  // Nobody is left who may be asked.
  bool finished() const override {
    for (std::size_t i = 0; i < asked_.size(); ++i) {
      if (may_ask(static_cast<ClientId>(i))) return false;
    }
    return true;
  }
  Offer offer() const override { return {models_}; }
  Items offer_items(ClientId client) const override {
    const bool known = client < clusters_.size() && clusters_[client] != kUnknownCluster;
    return known ? Items::only({clusters_[client]}) : Items::all();
  }
  void fields(Archive& a) override { a(models_, clusters_, asked_, local_); }

 private:
  bool may_ask(ClientId client) const {
    const bool there = std::binary_search(local_.clients.begin(), local_.clients.end(), client);
    return !there && asked_[client] < asks_;
  }
  // The models of those in the cohort whose model has not come yet.
  LocalModels ask_missing(Fleet& fleet, const Round& round) {
    std::vector<ClientId> asked;
    for (const ClientId i : round.cohort) {
      if (!may_ask(i)) continue;
      asked.push_back(i);
      ++asked_[i];
    }
    if (asked.empty()) return {};
    try {
      return ask_local_models(fleet, *setting_, erm_, asked);
    } catch (const BelowQuorum&) {
      if (local_.clients.empty()) throw;  // else a few latecomers without a model are no loss
      return {};
    }
  }

  // Keeps the order of clients.
  void add(LocalModels fresh) {
    if (local_.clients.empty()) {
      local_ = std::move(fresh);
      return;
    }
    const auto size = static_cast<std::ptrdiff_t>(setting_->model.size());
    LocalModels all;
    auto take = [&](const LocalModels& from, std::size_t i) {
      const auto row = from.values.begin() + static_cast<std::ptrdiff_t>(i) * size;
      all.clients.push_back(from.clients[i]);
      all.values.insert(all.values.end(), row, row + size);
    };
    std::size_t i = 0;
    for (std::size_t j = 0; j < fresh.clients.size(); ++j) {
      while (i < local_.clients.size() && local_.clients[i] < fresh.clients[j]) take(local_, i++);
      take(fresh, j);
    }
    while (i < local_.clients.size()) take(local_, i++);
    local_ = std::move(all);
  }

  ErmOptions erm_;
  ClusteringOptions clustering_;
  GroupWeights weights_;
  std::int64_t asks_ = 3;
  std::vector<Vec> models_;
  std::vector<std::uint32_t> clusters_;  // of the training clients
  std::vector<std::uint8_t> asked_;      // how often
  LocalModels local_;
};

const Registration<Algorithm> kOdcl{"odcl", "clients' own models are grouped and averaged, in one round",
                                    [] { return std::make_unique<Odcl>(); }};

}  // namespace
}  // namespace coterie
