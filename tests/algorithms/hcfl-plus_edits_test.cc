// HCFL+ on FedRC through a split, a removal and a split, with a client that was asked in the first round
// only: Algorithms 3, 4 and 5 with their label counts F, written out.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "algorithms/tier_states.h"

namespace coterie::hcfl_plus_edits_test {
namespace {

constexpr std::size_t kClasses = 3;
constexpr double kMu = 0.4;
using Table = std::vector<Vec>;

// What is known of a client: w~_ik, w_ijk (row, cluster) and F_ikc (cluster, class).
struct Client {
  Vec weights;
  Table rows, counts;
};

// Numbers in proportion, so that they sum to one.
void normalise(Vec& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  for (double& v : values) v /= sum;
}

// L_jk = P_k(y given x) / P_k(y).
Table likelihoods(const ClassRun& run, ClientId client, const Table& shares) {
  const std::vector<Vec> models = run.models();
  const auto samples = run.federation.samples(client, Part::train, 0);
  Table out(samples->size(), Vec(models.size()));
  for (std::size_t k = 0; k < models.size(); ++k) {
    const Vec losses = run.losses(models[k], client);
    for (std::size_t j = 0; j < out.size(); ++j)
      out[j][k] = std::exp(-losses[j]) / shares[k][samples->label(j)];
  }
  return out;
}

// w~_k <- mean over samples of w~_k L_jk / sum_n w~_n L_jn.
Vec next_weights(const Vec& weights, const Table& likelihoods) {
  Vec next(weights.size(), 0.0);
  for (const Vec& row : likelihoods) {
    Vec gamma = weights;
    for (std::size_t k = 0; k < gamma.size(); ++k) gamma[k] *= row[k];
    normalise(gamma);
    for (std::size_t k = 0; k < gamma.size(); ++k)
      next[k] += gamma[k] / static_cast<double>(likelihoods.size());
  }
  return next;
}

class Reference {
 public:
  Reference(std::size_t clients, std::size_t clusters)
      : clients_(clients), shares_(clusters, Vec(kClasses, 1.0 / kClasses)) {}

  // Algorithm 3, with the models before the round.
  void ask(const ClassRun& run, ClientId i) {
    Client& client = clients_[i];
    const std::size_t clusters = shares_.size();
    const Table likely = likelihoods(run, i, shares_);
    const auto samples = run.federation.samples(i, Part::train, 0);
    if (client.weights.empty()) {
      client.weights.assign(clusters, 1 / static_cast<double>(clusters));
      client.rows.assign(likely.size(), client.weights);
    }
    client.weights = next_weights(client.weights, likely);
    client.counts.assign(clusters, Vec(kClasses, 0.0));
    for (std::size_t j = 0; j < likely.size(); ++j) {
      Vec gamma = client.rows[j];
      for (std::size_t k = 0; k < clusters; ++k) gamma[k] *= likely[j][k];
      normalise(gamma);
      for (std::size_t k = 0; k < clusters; ++k) {
        client.counts[k][samples->label(j)] += gamma[k];
        client.rows[j][k] = kMu * gamma[k] + (1 - kMu) * client.weights[k];
      }
    }
  }
  // P_k(c) from the counts of all who were ever asked.
  void count() {
    for (std::size_t k = 0; k < shares_.size(); ++k) {
      shares_[k].assign(kClasses, 0.0);
      for (const Client& client : clients_) {
        for (std::size_t c = 0; c < kClasses && !client.counts.empty(); ++c)
          shares_[k][c] += client.counts[k][c];
      }
      for (double& share : shares_[k]) share = std::max(share, 1e-8);
      normalise(shares_[k]);
    }
  }
  // Algorithm 4: weights are halved; the new cluster has the counts of the old.
  void split(std::size_t k) {
    for (Client& client : clients_) {
      for (Vec* weights : all_weights(client)) {
        (*weights)[k] /= 2;
        weights->push_back(Vec(*weights)[k]);
      }
      if (!client.counts.empty()) client.counts.push_back(Vec(client.counts[k]));
    }
    shares_.push_back(Vec(shares_[k]));
  }
  // Algorithm 5: the rest sums to one.
  void remove(std::size_t k) {
    const auto at = static_cast<std::ptrdiff_t>(k);
    for (Client& client : clients_) {
      for (Vec* weights : all_weights(client)) {
        weights->erase(weights->begin() + at);
        normalise(*weights);
      }
      if (!client.counts.empty()) client.counts.erase(client.counts.begin() + at);
    }
    shares_.erase(shares_.begin() + at);
  }

  // Twenty steps with the models fixed, or until no weight moves by more than 1e-6.
  Vec settled(const ClassRun& run, ClientId i) const {
    const Table likely = likelihoods(run, i, shares_);
    Vec weights = clients_[i].weights;
    double moved = 1;
    for (int s = 0; s < 20 && moved > 1e-6; ++s) {
      const Vec next = next_weights(weights, likely);
      moved = 0;
      for (std::size_t k = 0; k < next.size(); ++k) moved = std::max(moved, std::fabs(next[k] - weights[k]));
      weights = next;
    }
    return weights;
  }

  const Client& client(std::size_t i) const { return clients_[i]; }
  const Table& shares() const { return shares_; }

 private:
  static std::vector<Vec*> all_weights(Client& client) {
    std::vector<Vec*> all;
    if (!client.weights.empty()) all.push_back(&client.weights);
    for (Vec& row : client.rows) all.push_back(&row);
    return all;
  }
  std::vector<Client> clients_;
  Table shares_;  // P_k(c): cluster, class
};

void expect_near(const Vec& got, const Vec& want, const std::string& what) {
  ASSERT_EQ(got.size(), want.size()) << what;
  for (std::size_t k = 0; k < want.size(); ++k) EXPECT_NEAR(got[k], want[k], 1e-12) << what << " " << k;
}

Vec flat(const Table& table) {
  Vec all;
  for (const Vec& row : table) all.insert(all.end(), row.begin(), row.end());
  return all;
}

// Client 3 is asked in round 1. Round 2 splits a cluster, round 3 removes one, and round 4 splits again.
TEST(HcflPlusEdits, ReachAClientThatIsNotAskedAgain) {
  ClassRun::Choices choices;
  choices.algorithm = "hcfl-plus";
  choices.algorithm_toml = "rho = 0.1\nmu = 0.4";
  choices.solver_toml = "rate = 2.0\nsteps = 3";
  ClassRun run(mixture({Task::classification, 3, kClasses, 0, 0, 0}, {8, 6, 10, 7}, 3, 20), choices);
  run.start();
  Reference want(4, 2);
  std::string happened;
  for (int t = 1; t <= 5; ++t) {
    std::vector<ClientId> cohort = {0, 1, 2};
    if (t == 1) cohort.push_back(3);
    for (const ClientId i : cohort) want.ask(run, i);
    want.count();
    run.round(cohort);
    for (const Event& event : run.fleet->take_events()) {
      const auto k = static_cast<std::size_t>(number(event, "cluster"));
      if (event.kind == "split") want.split(k);
      if (event.kind == "removed") want.remove(k);
      if (event.kind != "whole") happened += event.kind + std::to_string(t) + " ";
    }
    const std::string round = " of round " + std::to_string(t);
    expect_near(run.algorithm->offer().extras[0], flat(want.shares()), "P" + round);
    for (ClientId i = 0; i < 4; ++i)
      expect_near(clusters(run).weights[i], want.client(i).weights, "the server's weights" + round);
    expect_near(kept_by(run, 3).weights, want.client(3).weights, "client 3's own" + round);
    expect_near(kept_by(run, 3).rows, flat(want.client(3).rows), "those of its samples" + round);
    expect_near(settled(run, 3), want.settled(run, 3), "where they settle" + round);
  }
  EXPECT_EQ(happened, "split2 removed3 split4 ");
}

}  // namespace
}  // namespace coterie::hcfl_plus_edits_test
