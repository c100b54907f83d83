// Myopic-Clustering (Algorithm 1 of the Federated-Clustering paper): every client has a model of its own and
// sends its gradient there; the server groups these gradients, and each client steps along its group's mean.
//
// Do not choose it: it is here because it fails instructively. Gradients at different models say little of
// who is alike, and at the end all of them are zero, so that mistakes are never found out
// (`coterie reproduce fc-fig1`). federated-clustering compares gradients at the same model instead.
//
// The paper leaves the grouping open: it is k-means with clusters.count groups, whose numbers follow their
// members from round to round. A group's gradients are combined as [aggregate] says.
#include <algorithm>

#include "algorithms/personal/method.h"
#include "clustering/kmeans.h"
#include "clustering/relabel.h"
#include "coterie/methods/train.h"

namespace coterie {
namespace {

class Myopic : public PersonalMethod {
 public:
  void options(Options& o) override {
    batch_option(o);
    kmeans_.options(o);
  }
  std::size_t start_models() const override { return 1; }
  std::vector<const AnyJob*> jobs() const override { return {&kOwnGradient, &kTakeStep}; }

  void start(Fleet& fleet, Start start) override {
    begin(fleet, std::move(start));
    group_of_.assign(fleet.clients(), kUnknownCluster);
  }

  void round(Fleet& fleet, const Round& round) override {
    const Gathered gathered = gather_vectors(fleet, round.cohort, 1);
    if (gathered.clients.empty()) return;
    Stream stream(setting_->seed, {Purpose::server, round.number, 0, 0});
    Grouping groups = kmeans(gathered.points(), setting_->clusters, kmeans_, stream);
    std::vector<std::uint32_t> before;
    for (const ClientId i : gathered.clients) before.push_back(group_of_[i]);
    const std::vector<std::uint32_t> number =
        renumbered(before, groups.labels, setting_->clusters, kUnknownCluster);
    std::vector<std::vector<Contribution>> members(setting_->clusters);
    for (std::size_t p = 0; p < gathered.clients.size(); ++p) {
      const ClientId i = gathered.clients[p];
      const std::span<const double> gradient = gathered.points()[p];
      group_of_[i] = number[groups.labels[p]];
      members[group_of_[i]].push_back(
          {i, client_weight(*setting_, fleet, i), Vec(gradient.begin(), gradient.end())});
    }
    std::vector<Vec> centres;
    for (const auto& group : members) {
      centres.push_back(group.empty() ? Vec(setting_->model.size(), 0.0)
                                      : setting_->aggregate.aggregator->combine(group));
    }
    take_steps(
        fleet, gathered.clients, centres, [&](ClientId i) { return group_of_[i]; }, 0);
  }

  std::vector<std::uint32_t> found_clusters() const override {
    return with_singles(group_of_, setting_->clusters);
  }
  void fields(Archive& a) override {
    personal_fields(a);
    a(group_of_);
  }

 private:
  KMeansOptions kmeans_;
  std::vector<std::uint32_t> group_of_;  // of each client, at its last turn; kUnknownCluster before
};

const Registration<Algorithm> kMyopic{
    "myopic", "a model for each client; gradients at them are grouped, and groups step together",
    [] { return std::make_unique<Myopic>(); }};

}  // namespace
}  // namespace coterie
