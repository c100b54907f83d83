// ODCL (Armacki, Bajovic, Jakovetic and Kar, 2022, Algorithm 1): every client sends the model that fits its
// own data best, the server groups these models and sends each client the plain mean of its group. One round,
// no initial models, and K need not be known (clustering = "convex", or count = "elbow" or "silhouette").
//
// Choose it when communication is dear, the model is convex, and each client has samples enough to learn
// something alone; k-means++ is the choice when K is known. As a start (clusters.init = "odcl") it gives
// others what it found. Clients with less data than parameters are better served by ifca.
//
// Differs from the paper, which leaves these open: all clients are asked, whatever the participation of
// rounds; one whose own model cannot be used is served like an unseen client, by the model of lowest loss.
// Rounds after the first do nothing. Where there are fewer clients than clusters, each is a cluster. The
// event "clusters-found" tells how far apart the groups are.
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
  std::vector<const AnyJob*> jobs() const override { return {&erm_job()}; }

  void start(Fleet& fleet, Start start) override {
    models_ = std::move(start.models);
    clusters_.assign(fleet.clients(), kUnknownCluster);
  }

  void round(Fleet& fleet, const Round& round) override {
    if (round.number > 1) return;
    Start found =
        group_local_models(fleet, *setting_, erm_, clustering_, setting_->clusters, setting_->truth);
    models_ = std::move(found.models);
    clusters_ = std::move(found.memberships);
  }

  Offer offer() const override { return {models_}; }
  Items offer_items(ClientId client) const override {
    const bool known = client < clusters_.size() && clusters_[client] != kUnknownCluster;
    return known ? Items::only({clusters_[client]}) : Items::all();
  }
  void fields(Archive& a) override { a(models_, clusters_); }

 private:
  ErmOptions erm_;
  ClusteringOptions clustering_;
  std::vector<Vec> models_;
  std::vector<std::uint32_t> clusters_;  // of the training clients
};

const Registration<Algorithm> kOdcl{"odcl", "clients' own models are grouped and averaged, in one round",
                                    [] { return std::make_unique<Odcl>(); }};

}  // namespace
}  // namespace coterie
