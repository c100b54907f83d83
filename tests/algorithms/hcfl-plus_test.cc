// HCFL+ on a few clients: eqs. (6) and (7), splits and removals that reach everybody, bytes.
#include <gtest/gtest.h>

#include <cmath>

#include "algorithms/tier_states.h"

namespace coterie::hcfl_plus_test {
namespace {

ClassRun::Choices plus(const std::string& toml, const std::string& tiers = "") {
  ClassRun::Choices choices;
  choices.algorithm = "hcfl-plus";
  choices.algorithm_toml = toml;
  choices.tiers_toml = tiers;
  return choices;
}
// --- eqs. (4) and (5) ------------------------------------------------------------------------------------
const std::vector<LabelledRow> kRows = {{{1.0, 0.5}, 0}, {{-1.0, 0.2}, 1}, {{0.3, -2.0}, 1}};

// One E-step, written out: weights of the client and of its samples (row, cluster) before and after.
struct Shares {
  Vec client;
  std::vector<Vec> rows, gamma;
};
Shares stepped(const Shares& before, const ClassRun& run, const std::vector<Vec>& models, ClientId client,
               double mu) {
  const std::size_t count = models.size(), size = run.losses(models[0], client).size();
  Shares after{Vec(count, 0.0), {}, {}};
  for (std::size_t j = 0; j < size; ++j) {
    Vec gamma(count), smooth(count);
    double sum = 0, smooth_sum = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const double likelihood = std::exp(-run.losses(models[k], client)[j]);
      sum += gamma[k] = before.rows[j][k] * likelihood;
      smooth_sum += smooth[k] = before.client[k] * likelihood;
    }
    for (double& g : gamma) g /= sum;
    for (std::size_t k = 0; k < count; ++k)
      after.client[k] += smooth[k] / smooth_sum / static_cast<double>(size);
    after.gamma.push_back(gamma);
  }
  for (const Vec& gamma : after.gamma) {
    after.rows.emplace_back();
    for (std::size_t k = 0; k < count; ++k)
      after.rows.back().push_back(mu * gamma[k] + (1 - mu) * after.client[k]);
  }
  return after;
}
Shares equal_shares(std::size_t clusters, std::size_t rows) {
  const Vec equal(clusters, 1 / static_cast<double>(clusters));
  return {equal, std::vector<Vec>(rows, equal), {}};
}

TEST(HcflPlus, WeightsOfClientAndSamplesGoOnFromRoundToRound) {
  ClassRun run(GivenFederation({samples_of(kRows, 2)}),
               plus("backbone = \"fedem\"\nmu = 0.4", "adapt = \"fixed\""));
  run.start();
  Shares want = equal_shares(2, 3);
  for (int t = 0; t < 3; ++t) {
    want = stepped(want, run, run.models(), 0, 0.4);
    run.round({0});
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_NEAR(clusters(run).weights[0][k], want.client[k], 1e-14) << t << k;
      for (std::size_t j = 0; j < 3; ++j)
        EXPECT_NEAR(kept_by(run, 0).rows[2 * j + k], want.rows[j][k], 1e-14) << t << j << k;
    }
  }
  EXPECT_GT(std::fabs(want.rows[0][0] - want.client[0]), 1e-3) << "samples have weights of their own";
}

// --- eqs. (6) and (7) ------------------------------------------------------------------------------------
// Gradients of  1/n sum_j gamma_jk loss_k  by a whole model, for each of two models.
std::vector<Vec> gradients(const ClassRun& run, const std::vector<Vec>& models,
                           const std::vector<Vec>& gamma) {
  const auto samples = run.federation.samples(0, Part::train, 0);
  const auto& x = std::get<std::vector<double>>(samples->features);
  std::vector<Vec> out;
  for (std::size_t k = 0; k < models.size(); ++k) {
    out.emplace_back(run.model->size());
    run.model->gradient(models[k], Batch<double>{3, 2, x, samples->targets, gamma[k]}, out.back());
  }
  return out;
}
// Responsibilities from equal weights: cluster, row.
std::vector<Vec> responsibilities(const ClassRun& run, const std::vector<Vec>& models) {
  std::vector<Vec> gamma(models.size(), Vec(3));
  for (std::size_t j = 0; j < 3; ++j) {
    double sum = 0;
    for (std::size_t k = 0; k < models.size(); ++k)
      sum += gamma[k][j] = std::exp(-run.losses(models[k], 0)[j]);
    for (Vec& one : gamma) one[j] /= sum;
  }
  return gamma;
}

void check_update(const std::string& update) {
  ClassRun::Choices choices = plus("backbone = \"fedem\"\nupdate = \"" + update + "\"", "adapt = \"fixed\"");
  choices.model = "mlp";
  choices.model_toml = "hidden = [3]";
  ClassRun run(GivenFederation({samples_of(kRows, 2)}), choices);
  run.start();
  std::vector<Vec> models = run.models();
  const std::vector<Vec> gamma = responsibilities(run, models);
  const std::size_t head = run.model->head();
  run.round({0});

  auto step = [&](bool heads, bool extractor) {
    const std::vector<Vec> g = gradients(run, models, gamma);
    for (std::size_t j = 0; j < run.model->size(); ++j) {
      for (std::size_t k = 0; k < 2; ++k) {
        if (j < head && extractor) models[k][j] -= 0.1 * (g[0][j] + g[1][j]);
        if (j >= head && heads) models[k][j] -= 0.1 * g[k][j];
      }
    }
  };
  if (update == "joint") {
    step(true, true);
  } else {
    step(true, false);
    step(false, true);
  }
  for (std::size_t k = 0; k < 2; ++k) {
    for (std::size_t j = 0; j < run.model->size(); ++j)
      EXPECT_NEAR(run.models()[k][j], models[k][j], 1e-13) << k << j;
  }
}
TEST(HcflPlus, HeadsAndExtractorStepTogether) { check_update("joint"); }
TEST(HcflPlus, OrTheExtractorAfterTheHeads) { check_update("alternating"); }

// On FedSoft training is pulled back to where it began, with prox = 0.1: felt from the second step on.
TEST(HcflPlus, OnFedSoftHeadsAndExtractorArePulledBack) {
  ClassRun::Choices choices = plus("backbone = \"fedsoft\"", "adapt = \"fixed\"");
  choices.model = "mlp";
  choices.model_toml = "hidden = [3]";
  choices.solver_toml = "rate = 0.5\nsteps = 3";
  ClassRun run(GivenFederation({samples_of(kRows, 2)}), choices);
  run.start();
  const std::vector<Vec> start = run.models();
  const std::vector<Vec> gamma = responsibilities(run, start);
  run.round({0});
  const auto trained = [&](double prox) {
    std::vector<Vec> models = start;
    for (int s = 0; s < 3; ++s) {
      const std::vector<Vec> g = gradients(run, models, gamma);
      for (std::size_t k = 0; k < 2; ++k) {
        for (std::size_t j = 0; j < start[k].size(); ++j) {
          const double slope = j < run.model->head() ? g[0][j] + g[1][j] : g[k][j];
          models[k][j] -= 0.5 * (slope + prox * (models[k][j] - start[k][j]));
        }
      }
    }
    return models;
  };
  const std::vector<Vec> want = trained(0.1), loose = trained(0);
  double pulled = 0;
  for (std::size_t k = 0; k < 2; ++k) {
    for (std::size_t j = 0; j < want[k].size(); ++j) {
      EXPECT_NEAR(run.models()[k][j], want[k][j], 1e-13) << k << j;
      pulled = std::max(pulled, std::fabs(want[k][j] - loose[k][j]));
    }
  }
  EXPECT_GT(pulled, 1e-3) << "there was something to pull";
}

TEST(HcflPlus, SendsOneExtractorAndAHeadForEachCluster) {
  ClassRun::Choices choices = plus("", "adapt = \"fixed\"");
  choices.model = "mlp";
  choices.model_toml = "hidden = [3]";
  ClassRun run(GivenFederation({samples_of(kRows, 2)}), choices);
  run.start();
  run.round({0});
  const std::size_t extractor = (2 + 1) * 3, heads = 2 * (3 + 1) * 2, shares = 2 * 2;
  EXPECT_EQ(run.fleet->traffic().down, 8 * (extractor + heads + shares));
  // The largest weight's place, the loss, the weights, and the counts of classes as well.
  EXPECT_EQ(run.fleet->traffic().up, 4 + 8 * (1 + 2 + extractor + heads + shares));
}

// --- splits and removals ---------------------------------------------------------------------------------
// Labels follow the axis, or the other one: class prototypes of the two concepts are at right angles.
Samples concept_of(bool swapped) {
  return samples_of({{{1, 0}, swapped ? 1.0 : 0.0}, {{0, 1}, swapped ? 0.0 : 1.0}}, 2);
}
GivenFederation concepts() {
  return GivenFederation({concept_of(false), concept_of(false), concept_of(true), concept_of(false)});
}

TEST(HcflPlus, SplitsByRuleEightAndThoseNotAskedFollow) {
  ClassRun::Choices choices = plus("rho = 0.5\nmu = 0.4");
  choices.clusters = 1;
  ClassRun run(concepts(), choices);
  run.start({Vec(run.model->size(), 0.0)});
  run.round({0, 1, 3});
  EXPECT_EQ(run.models().size(), 1u) << "one concept";
  const Vec before = run.models()[0];
  run.round({0, 1, 2});
  ASSERT_EQ(run.models().size(), 2u);
  const std::vector<Event> events = of_kind(*run.fleet, "split");
  ASSERT_EQ(events.size(), 1u);
  // D is 0 between the first two and 1 from them to the third: largest 1, mean 4/9.
  EXPECT_NEAR(number(events[0], "largest"), 1, 1e-12);
  EXPECT_NEAR(number(events[0], "mean"), 4.0 / 9, 1e-12);
  EXPECT_EQ(number(events[0], "stay"), 2);
  EXPECT_EQ(number(events[0], "go"), 1);
  EXPECT_EQ(number(events[0], "clusters"), 2);

  // The parts' models are what their members trained: one step of gradient descent from `before`.
  for (const auto& [cluster, client] : {std::pair{0, 0u}, std::pair{1, 2u}}) {
    const auto samples = run.federation.samples(client, Part::train, 0);
    const auto& x = std::get<std::vector<double>>(samples->features);
    Vec gradient(before.size());
    run.model->gradient(before, Batch<double>{2, 2, x, samples->targets, {}}, gradient);
    for (std::size_t j = 0; j < before.size(); ++j) {
      EXPECT_NEAR(run.models()[static_cast<std::size_t>(cluster)][j], before[j] - 0.1 * gradient[j], 1e-13);
    }
  }
  // Algorithm 4 at clients: those asked, and the one that was not; weights of samples too.
  for (ClientId i : {0u, 2u, 3u}) {
    const LookReply kept = kept_by(run, i);
    EXPECT_EQ(kept.weights, (Vec{0.5, 0.5})) << i;
    EXPECT_EQ(kept.rows, Vec(4, 0.5)) << i;
    EXPECT_EQ(clusters(run).weights[i], (Vec{0.5, 0.5})) << i;
  }
  // Whoever was not asked since the split may still belong to the new part: it stays.
  run.round({0, 1});
  EXPECT_EQ(run.models().size(), 2u);
}

TEST(HcflPlus, RemovesWhatIsNobodysFirstAndWeightsSumToOne) {
  ClassRun run(concepts(), plus("backbone = \"fedem\"\nrho = 10\nmu = 0.4"));
  // The second model is wrong about everything.
  Vec good(run.model->size(), 0.0), bad = good;
  good[0] = 1;
  bad[0] = bad[3] = -5;
  run.start({good, bad});
  run.round({0, 1});
  EXPECT_EQ(of_kind(*run.fleet, "removed").size(), 1u);
  ASSERT_EQ(run.models().size(), 1u);
  EXPECT_EQ(kept_by(run, 0).weights, Vec{1.0});
  EXPECT_EQ(kept_by(run, 0).rows, (Vec{1.0, 1.0}));
  EXPECT_TRUE(kept_by(run, 3).weights.empty()) << "never asked";
  run.round({3});
  EXPECT_EQ(clusters(run).weights[3], Vec{1.0});
}

// Two models that fit one concept each, and a third that says class 0 whatever it sees.
TEST(HcflPlus, ARemovalMakesTheRestOfAllWeightsSumToOne) {
  ClassRun::Choices choices = plus("backbone = \"fedem\"\nrho = 10\nmu = 0.4");
  choices.clusters = 3;
  ClassRun run(concepts(), choices);
  const std::vector<Vec> models = {{2, 0, 0, 2, 0, 0}, {0, 2, 2, 0, 0, 0}, {0, 0, 0, 0, 1, 0}};
  run.start(models);
  run.round({0, 2, 3});
  ASSERT_EQ(run.models().size(), 2u);
  for (const ClientId i : {0u, 2u, 3u}) {
    const Shares all = stepped(equal_shares(3, 2), run, models, i, 0.4);
    EXPECT_GT(all.client[2], 0.1) << "there was something to share out";
    const double left = all.client[0] + all.client[1];
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_NEAR(clusters(run).weights[i][k], all.client[k] / left, 1e-14);
      EXPECT_NEAR(kept_by(run, i).weights[k], all.client[k] / left, 1e-14);
      for (std::size_t j = 0; j < 2; ++j) {
        EXPECT_NEAR(kept_by(run, i).rows[2 * j + k], all.rows[j][k] / (all.rows[j][0] + all.rows[j][1]),
                    1e-14);
      }
    }
  }
}

TEST(HcflPlus, RemovesNothingBeforeHalfOfTheClientsWereHeardOf) {
  ClassRun run(concepts(), plus("rho = 10"));
  run.start();
  run.round({0});
  EXPECT_EQ(run.models().size(), 2u);
}

TEST(HcflPlus, HardBackbonesMoveMembersWholeAndOthersChooseAgain) {
  ClassRun::Choices choices = plus("backbone = \"fesem\"\nrho = 0.5");
  choices.clusters = 1;
  ClassRun run(concepts(), choices);
  run.start({Vec(run.model->size(), 0.0)});
  run.round({0, 1, 3});
  run.round({0, 1, 2});
  ASSERT_EQ(run.models().size(), 2u);
  EXPECT_EQ(clusters(run).home(0), 0u);
  EXPECT_EQ(clusters(run).home(2), 1u);
  EXPECT_EQ(clusters(run).home(3), kUnknownCluster);
  run.round({3});
  EXPECT_EQ(clusters(run).home(3), 0u);
}

TEST(HcflPlus, NeverExceedsTheMostClusters) {
  ClassRun::Choices choices = plus("rho = 0\nmost = 2");
  choices.clusters = 2;
  ClassRun run(concepts(), choices);
  run.start();
  for (int t = 0; t < 4; ++t) {
    run.round({0, 1, 2, 3});
    EXPECT_LE(run.models().size(), 2u);
  }
}

}  // namespace
}  // namespace coterie::hcfl_plus_test
