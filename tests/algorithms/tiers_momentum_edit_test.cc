// Momentum that survives, while clusters split and go: soft rules with a shared extractor.
#include <gtest/gtest.h>

#include <cmath>

#include "algorithms/tier_states.h"

namespace coterie::tiers_momentum_edit_test {
namespace {

constexpr double kRate = 0.2, kMomentum = 0.5;
constexpr std::size_t kExtractor = 2 * 2 + 2, kHead = 2 * 4 + 4;

Samples rows(double first, double second) { return samples_of({{{1, 0}, first}, {{0, 1}, second}}, 4); }

// Features are close to the inputs; the head has a bias for each of four classes, and small weights, so that
// the extractor learns too.
Vec model_of(const Vec& bias) {
  Vec w = {1, 0, 0, 1, 0.1, 0.1, 0.1, 0.2, 0, -0.1, 0.1, 0.2, -0.2, 0.1};
  w.insert(w.end(), bias.begin(), bias.end());
  return w;
}

// One client, by eqs. (4) to (7) with mu = 0 and  v = v / 2 + gradient,  w -= 0.2 v.
struct Reference {
  Vec weights;                    // w~_i
  Vec extractor;                  // its momentum
  std::vector<Vec> heads;         // those of the heads
  std::vector<Vec> trained = {};  // whole models

  void train(const ClassRun& run, ClientId client, bool joint, const std::vector<Vec>& models) {
    const std::size_t clusters = models.size();
    std::vector<Vec> gamma(clusters);
    for (std::size_t k = 0; k < clusters; ++k) {
      for (const double loss : run.losses(models[k], client))
        gamma[k].push_back(weights[k] * std::exp(-loss));
    }
    for (std::size_t j = 0; j < 2; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < clusters; ++k) sum += gamma[k][j];
      for (std::size_t k = 0; k < clusters; ++k) gamma[k][j] /= sum;
    }
    for (std::size_t k = 0; k < clusters; ++k) weights[k] = (gamma[k][0] + gamma[k][1]) / 2;

    trained = models;
    const std::vector<Vec> before = gradients(run, client, gamma, models);
    for (std::size_t k = 0; k < clusters; ++k) {
      for (std::size_t j = 0; j < kHead; ++j) {
        heads[k][j] = kMomentum * heads[k][j] + before[k][kExtractor + j];
        trained[k][kExtractor + j] -= kRate * heads[k][j];
      }
    }
    // The extractor's gradient sees the new heads where it is trained after them.
    const std::vector<Vec> now = joint ? before : gradients(run, client, gamma, trained);
    for (std::size_t j = 0; j < kExtractor; ++j) {
      double sum = 0;
      for (const Vec& one : now) sum += one[j];
      extractor[j] = kMomentum * extractor[j] + sum;
      for (Vec& one : trained) one[j] -= kRate * extractor[j];
    }
  }
  // Of  1/2 sum_j gamma_jk loss_k,  for each k.
  static std::vector<Vec> gradients(const ClassRun& run, ClientId client, const std::vector<Vec>& gamma,
                                    const std::vector<Vec>& models) {
    const auto samples = run.federation.samples(client, Part::train, 0);
    const auto x = std::span(std::get<std::vector<double>>(samples->features));
    std::vector<Vec> all(models.size(), Vec(models[0].size(), 0.0));
    for (std::size_t k = 0; k < models.size(); ++k) {
      for (std::size_t j = 0; j < 2; ++j) {
        Vec one(models[k].size());
        const Batch<double> row{1, 2, x.subspan(2 * j, 2), std::span(samples->targets).subspan(j, 1), {}};
        run.model->gradient(models[k], row, one);
        for (std::size_t n = 0; n < one.size(); ++n) all[k][n] += gamma[k][j] * one[n] / 2;
      }
    }
    return all;
  }
  void split(std::size_t k) {
    weights[k] /= 2;
    weights.push_back(weights[k]);
    heads.emplace_back(kHead, 0.0);
  }
  void remove(std::size_t k) {
    weights.erase(weights.begin() + static_cast<std::ptrdiff_t>(k));
    heads.erase(heads.begin() + static_cast<std::ptrdiff_t>(k));
    double sum = 0;
    for (const double w : weights) sum += w;
    for (double& w : weights) w /= sum;
  }
};

// The mean of what some clients trained of a cluster.
Vec mean(const std::vector<Reference>& clients, const std::vector<std::size_t>& who, std::size_t k) {
  Vec sum(kExtractor + kHead, 0.0);
  for (const std::size_t i : who) {
    for (std::size_t j = 0; j < sum.size(); ++j)
      sum[j] += clients[i].trained[k][j] / static_cast<double>(who.size());
  }
  return sum;
}

// Four rounds. In the first, cluster 0 splits into clients 0 and 1, and client 2 (if told), and cluster 1
// goes (if told).
void check(const std::vector<Vec>& starts, std::size_t count, bool splits, bool removes, double rho,
           bool joint) {
  ClassRun::Choices choices;
  choices.algorithm = "hcfl-plus";
  choices.algorithm_toml = "backbone = \"fedem\"\nmu = 0\nrho = " + std::to_string(rho) + "\nupdate = \"" +
                           (joint ? "joint" : "alternating") + "\"";
  choices.tiers_toml = "distance = \"prototype-cscp\"";
  choices.model = "mlp";
  choices.model_toml = "hidden = [2]";
  choices.solver_toml = "rate = 0.2\nsteps = 1\nmomentum = 0.5\nmomentum_survives = true";
  choices.clusters = starts.size();
  std::vector<Samples> given = {rows(0, 1), rows(0, 1), rows(1, 0), rows(2, 2)};
  given.resize(count);
  ClassRun run(GivenFederation(std::move(given)), choices);
  run.start(starts);
  ASSERT_EQ(run.model->head(), kExtractor);
  std::vector<ClientId> all;
  std::vector<std::size_t> everybody;
  for (std::size_t i = 0; i < count; ++i) {
    all.push_back(static_cast<ClientId>(i));
    everybody.push_back(i);
  }
  const double share = 1 / static_cast<double>(starts.size());
  std::vector<Reference> clients(count, {Vec(starts.size(), share), Vec(kExtractor, 0.0),
                                         std::vector<Vec>(starts.size(), Vec(kHead, 0.0))});
  std::vector<Vec> models = starts;
  for (int t = 0; t < 4; ++t) {
    for (std::size_t i = 0; i < count; ++i) clients[i].train(run, static_cast<ClientId>(i), joint, models);
    std::vector<Vec> next;
    for (std::size_t k = 0; k < models.size(); ++k) next.push_back(mean(clients, everybody, k));
    const Vec extractor(next[0].begin(), next[0].begin() + kExtractor);
    if (t == 0 && splits) {
      next[0] = mean(clients, {0, 1}, 0);
      next.push_back(mean(clients, {2}, 0));
      for (Vec& one : next) std::copy(extractor.begin(), extractor.end(), one.begin());
      for (Reference& one : clients) one.split(0);
    }
    if (t == 0 && removes) {
      next.erase(next.begin() + 1);
      for (Reference& one : clients) one.remove(1);
    }
    models = next;
    run.round(all);
    const std::vector<Vec> found = run.models();
    ASSERT_EQ(found.size(), models.size()) << t;
    for (std::size_t k = 0; k < models.size(); ++k) {
      for (std::size_t j = 0; j < models[k].size(); ++j)
        EXPECT_NEAR(found[k][j], models[k][j], 1e-13) << t << " " << k << " " << j;
    }
  }
}

// Models that expect classes 0 and 1, and class 3.
const Vec kOfTwo = model_of({3, 3, 0, 0}), kOfNobody = model_of({0, 0, 0, 5});

class TierMomentumEdits : public testing::TestWithParam<bool> {};

// Cluster 1 expects a class that nobody has and goes; client 3 is in cluster 2, which expects class 2.
TEST_P(TierMomentumEdits, ASplitAndARemovalLeaveThatOfTheOthers) {
  check({kOfTwo, kOfNobody, model_of({0, 0, 5, 0})}, 4, true, true, 0.3, GetParam());
}
TEST_P(TierMomentumEdits, OneHeadBecomesTwo) { check({kOfTwo}, 3, true, false, 0.3, GetParam()); }
TEST_P(TierMomentumEdits, TwoHeadsBecomeOne) { check({kOfTwo, kOfNobody}, 3, false, true, 2, GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, TierMomentumEdits, testing::Bool(),
                         [](const auto& info) { return info.param ? "Joint" : "Alternating"; });

}  // namespace
}  // namespace coterie::tiers_momentum_edit_test
