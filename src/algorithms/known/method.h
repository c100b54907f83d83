// What methods share that know from the start who is in which cluster: all clients are in one, or each is in
// its true cluster. They differ in how a round makes the models of the clusters.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "coterie/algorithm.h"
#include "coterie/methods/erm.h"
#include "coterie/methods/train.h"

namespace coterie {

enum class KnownClusters { one, truth };

class KnownClustersMethod : public Algorithm {
 public:
  explicit KnownClustersMethod(KnownClusters known) : known_(known) {}

  void options(Options&) override {}
  bool needs_truth() const override { return known_ == KnownClusters::truth; }
  std::size_t start_models() const override { return needs_truth() ? setting_->true_clusters() : 1; }
  std::vector<const AnyJob*> jobs() const override { return {&train_job()}; }

  void start(Fleet&, Start start) override { models_ = std::move(start.models); }
  Offer offer() const override { return {models_}; }
  Items offer_items(ClientId client) const override {
    return needs_truth() ? Items::only({setting_->truth[client]}) : Items::all();
  }
  void fields(Archive& a) override { a(models_); }

 protected:
  std::uint32_t cluster_of(ClientId client) const { return needs_truth() ? setting_->truth[client] : 0; }
  // FedAvg inside the clusters; `prox` holds local training near the model that it starts from.
  void average_trained(Fleet& fleet, const Round& round, double prox = 0);

  std::vector<Vec> models_;  // one for each cluster

 private:
  KnownClusters known_;
};

// Those that ask for minima instead of training, which takes one round: the run ends when a round asked
// everybody. By default clients send the minima of their own losses, and a cluster's model is the mean of its
// clients'.
class KnownClustersInOneRound : public KnownClustersMethod {
 public:
  using KnownClustersMethod::KnownClustersMethod;

  void options(Options& o) override { erm_.options(o); }
  bool trains() const override { return false; }
  bool uses_solver() const override { return erm_.solver == "local"; }
  std::vector<std::string> warnings(const Fleet& fleet) const override;
  std::vector<const AnyJob*> jobs() const override { return {&erm_job()}; }

  void start(Fleet& fleet, Start start) override;
  void round(Fleet& fleet, const Round& round) override;
  bool finished() const override { return finished_; }
  void fields(Archive& a) override { a(models_, finished_); }

 protected:
  // Finds the models of the clusters with these clients.
  virtual void solve(Fleet& fleet, const std::vector<ClientId>& cohort);

  ErmOptions erm_;

 private:
  bool finished_ = false;
};

}  // namespace coterie
