// FedRC's figures and weights on two clients, from independent arithmetic.
#include <gtest/gtest.h>

#include <cmath>

#include "algorithms/tier_states.h"

namespace coterie::fedrc_test {
namespace {

GivenFederation two_clients() {
  return GivenFederation({samples_of({{{1.0}, 0}, {{-1.0}, 1}, {{2.0}, 0}}, 3), samples_of({{{1.0}, 1}}, 3)});
}

struct Mixture {
  std::vector<Vec> gamma;  // row, cluster
  Vec weights;
};
// The E-step written out.
Mixture mixture(const ClassRun& run, const std::vector<Vec>& models, ClientId client, const Vec& weights,
                const std::vector<Vec>& shares) {
  const auto samples = run.federation.samples(client, Part::train, 0);
  Mixture out{{}, Vec(models.size(), 0.0)};
  for (std::size_t j = 0; j < samples->size(); ++j) {
    Vec gamma;
    double sum = 0;
    for (std::size_t k = 0; k < models.size(); ++k) {
      gamma.push_back(weights[k] * std::exp(-run.losses(models[k], client)[j]) /
                      shares[k][samples->label(j)]);
      sum += gamma.back();
    }
    for (std::size_t k = 0; k < models.size(); ++k) {
      gamma[k] /= sum;
      out.weights[k] += gamma[k] / static_cast<double>(samples->size());
    }
    out.gamma.push_back(gamma);
  }
  return out;
}

// P_k from F_kc = sum over all rows of label c of gamma; a class without rows counts 1e-8.
std::vector<Vec> label_shares(const ClassRun& run, const std::vector<Mixture>& found) {
  std::vector<Vec> shares(found[0].weights.size(), Vec(3, 0.0));
  for (ClientId i = 0; i < found.size(); ++i) {
    for (std::size_t j = 0; j < found[i].gamma.size(); ++j) {
      const std::size_t label = run.federation.samples(i, Part::train, 0)->label(j);
      for (std::size_t k = 0; k < shares.size(); ++k) shares[k][label] += found[i].gamma[j][k];
    }
  }
  for (Vec& one : shares) {
    for (double& share : one) share = std::max(share, 1e-8);
    const double total = one[0] + one[1] + one[2];
    for (double& share : one) share /= total;
  }
  return shares;
}

TEST(FedRc, DividesByTheSharesOfLabelsInEachCluster) {
  ClassRun::Choices choices;
  choices.algorithm = "fedrc";
  choices.algorithm_toml = "rule = \"paper\"\nextractor = false";
  ClassRun run(two_clients(), choices);
  run.start();
  const std::vector<Vec> before = run.models();
  const std::vector<Vec> uniform(2, Vec(3, 1.0 / 3));
  run.round({0, 1});
  const std::vector<Mixture> all = {mixture(run, before, 0, {0.5, 0.5}, uniform),
                                    mixture(run, before, 1, {0.5, 0.5}, uniform)};
  const std::vector<Vec> shares = label_shares(run, all);
  const Vec offered = run.algorithm->offer().extras[0];
  for (std::size_t k = 0; k < 2; ++k) {
    for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(offered[k * 3 + c], shares[k][c], 1e-12) << k << c;
  }
  // The likelihood is over the samples of those who are judged, three and one, before they trained.
  Vec sums;
  for (ClientId i : {0u, 1u}) {
    sums.push_back(0);
    for (std::size_t j = 0; j < all[i].gamma.size(); ++j) {
      double mixed = 0;
      for (const Vec& model : before) mixed += 0.5 * std::exp(-run.losses(model, i)[j]) * 3;
      sums[i] += std::log(mixed);
    }
  }
  const auto likelihood = [&](const std::vector<ClientId>& judged) {
    return run.algorithm->own_metrics(judged).at(0).second;
  };
  EXPECT_NEAR(likelihood({0, 1}), (sums[0] + sums[1]) / 4, 1e-12);
  EXPECT_NEAR(likelihood({0}), sums[0] / 3, 1e-12);
  EXPECT_TRUE(run.algorithm->own_metrics({}).empty());
  // The next round uses them.
  const std::vector<Vec> now = run.models();
  run.round({1});
  const Vec expected = mixture(run, now, 1, all[1].weights, shares).weights;
  const Vec found = dynamic_cast<const Tiered&>(*run.algorithm).clusters().weights[1];
  EXPECT_NEAR(found[0], expected[0], 1e-12);
  EXPECT_NEAR(found[1], expected[1], 1e-12);
}

// Client 1 was never asked. It begins with equal weights and repeats the E-step under the P of client 0,
// until no weight moves by more than 1e-6.
TEST(FedRc, AClientThatWasNeverAskedSettlesByTheShares) {
  ClassRun::Choices choices;
  choices.algorithm = "fedrc";
  choices.algorithm_toml = "rule = \"paper\"\nextractor = false";
  choices.solver_toml = "rate = 1.0\nsteps = 3";
  ClassRun run(two_clients(), choices);
  run.start();
  const std::vector<Vec> uniform(2, Vec(3, 1.0 / 3));
  const std::vector<Mixture> asked = {mixture(run, run.models(), 0, {0.5, 0.5}, uniform)};
  run.round({0});
  const std::vector<Vec> shares = label_shares(run, asked);
  const auto settle = [&](const std::vector<Vec>& by) {
    Vec weights = {0.5, 0.5};
    double moved = 1;
    for (int s = 0; s < 20 && moved > 1e-6; ++s) {
      const Vec next = mixture(run, run.models(), 1, weights, by).weights;
      moved = std::fabs(next[0] - weights[0]);
      weights = next;
    }
    return weights;
  };
  const Vec found = settled(run, 1), want = settle(shares);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(found[k], want[k], 1e-12) << k;
  EXPECT_GT(std::fabs(want[0] - settle(uniform)[0]), 1e-3) << "P matters";
}

// `hcfl` on this backbone: CFL's split leaves both parts the shares of the one they came from and half of the
// weights; from then on each has its own.
TEST(FedRc, KeepsItsSharesWhenHcflSplits) {
  const Samples one = samples_of({{{1.0}, 0}, {{-1.0}, 1}, {{2.0}, 0}}, 3);
  const Samples other = samples_of({{{1.0}, 1}, {{-1.5}, 0}}, 3);
  ClassRun::Choices choices;
  choices.algorithm = "hcfl";
  choices.algorithm_toml = "backbone = \"fedrc\"\neps1 = 1000\neps2 = 1e-9\nmost = 2";
  choices.clusters = 1;
  ClassRun run(GivenFederation({one, other, one, other}), choices);
  run.start();
  std::vector<Vec> weights(4, Vec{1.0}), shares(1, Vec(3, 1.0 / 3));
  for (int t = 1; t <= 3; ++t) {
    const std::vector<Vec> models = run.models();
    run.round({0, 1, 2, 3});
    std::vector<Mixture> found;
    for (ClientId i = 0; i < 4; ++i) found.push_back(mixture(run, models, i, weights[i], shares));
    shares = label_shares(run, found);
    for (ClientId i = 0; i < 4; ++i) weights[i] = found[i].weights;
    if (t == 1) {
      weights.assign(4, Vec{0.5, 0.5});
      shares.push_back(shares[0]);
    }
    ASSERT_EQ(run.models().size(), 2u);
    const Vec offered = run.algorithm->offer().extras[0];
    for (std::size_t k = 0; k < 2; ++k) {
      for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(offered[k * 3 + c], shares[k][c], 1e-12) << t << k << c;
      for (ClientId i = 0; i < 4; ++i) {
        const Vec& now = dynamic_cast<const Tiered&>(*run.algorithm).clusters().weights[i];
        EXPECT_NEAR(now[k], weights[i][k], 1e-12) << t << k << i;
      }
    }
  }
  EXPECT_GT(std::fabs(shares[0][0] - shares[1][0]), 0.01) << "each its own";
}

TEST(FedRc, IsFedEmInItsFirstRound) {
  ClassRun::Choices choices;
  choices.algorithm = "fedrc";
  choices.algorithm_toml = "rule = \"paper\"\nextractor = false";
  ClassRun rc(two_clients(), choices);
  choices.algorithm = "fedem";
  choices.algorithm_toml = "";
  ClassRun em(two_clients(), choices);
  for (ClassRun* run : {&rc, &em}) {
    run->start();
    run->round({0, 1});
  }
  for (std::size_t k = 0; k < 2; ++k) {
    for (std::size_t j = 0; j < rc.models()[k].size(); ++j) {
      EXPECT_NEAR(rc.models()[k][j], em.models()[k][j], 1e-14);
    }
  }
}

}  // namespace
}  // namespace coterie::fedrc_test
