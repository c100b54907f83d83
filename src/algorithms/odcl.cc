// ODCL (Armacki, Bajovic, Jakovetic and Kar, 2022, Algorithm 1): every client sends the model that fits its
// own data best, the server groups these models and sends each client the plain mean of its group. One round,
// no initial models, and K need not be known (clustering = "convex", or count = "elbow" or "silhouette").
//
// Choose it when communication is dear, the model is convex, and each client has samples enough to learn
// something alone; k-means++ is the choice when K is known. As a start (clusters.init = "odcl") it gives
// others what it found. Clients with less data than parameters are better served by ifca.
//
// Differs from the paper, where all clients take part at once: a client is asked at its first turn, and the
// server groups all models that it has whenever new ones came. A client that was not asked yet, or whose own
// model cannot be used, is served like an unseen one, by the model of lowest loss. When all were asked,
// the run ends. Where there are fewer models than clusters, each is a cluster. The event
// "clusters-found" tells how far apart the groups are. Models are delivered at the end of the run, as for
// every method.
#include <algorithm>

#include "coterie/grouping.h"
#include "math/clustering.h"

namespace coterie {
namespace {

class Odcl : public Algorithm {
 public:
  void options(Options& o) override {
    erm_.options(o);
    clustering_.options(o);
  }
  bool needs_truth() const override { return clustering_.needs_truth(); }
  bool trains() const override { return false; }
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
    std::vector<ClientId> asked;
    for (const ClientId i : round.cohort) {
      if (!asked_[i]) asked.push_back(i);
    }
    if (asked.empty()) return;
    for (const ClientId i : asked) asked_[i] = 1;
    LocalModels fresh = ask_local_models(fleet, *setting_, erm_, asked);
    if (fresh.clients.empty()) return;
    add(std::move(fresh));
    Start found = group_models(fleet, *setting_, local_, clustering_, setting_->clusters, setting_->truth);
    models_ = std::move(found.models);
    clusters_ = std::move(found.memberships);
  }

  bool finished() const override { return std::find(asked_.begin(), asked_.end(), 0) == asked_.end(); }
  Offer offer() const override { return {models_}; }
  Items offer_items(ClientId client) const override {
    const bool known = client < clusters_.size() && clusters_[client] != kUnknownCluster;
    return known ? Items::only({clusters_[client]}) : Items::all();
  }
  void fields(Archive& a) override { a(models_, clusters_, asked_, local_); }

 private:
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
  std::vector<Vec> models_;
  std::vector<std::uint32_t> clusters_;  // of the training clients
  std::vector<std::uint8_t> asked_;
  LocalModels local_;
};

const Registration<Algorithm> kOdcl{"odcl", "clients' own models are grouped and averaged, in one round",
                                    [] { return std::make_unique<Odcl>(); }};

}  // namespace
}  // namespace coterie
