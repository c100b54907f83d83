// FedRC's figures and weights on two clients, from independent arithmetic.
#include <gtest/gtest.h>

#include <cmath>

#include "algorithms/tiers/program.h"
#include "support/class_run.h"

namespace coterie {
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

TEST(FedRc, DividesByTheSharesOfLabelsInEachCluster) {
  ClassRun::Choices choices;
  choices.algorithm = "fedrc";
  ClassRun run(two_clients(), choices);
  run.start();
  const std::vector<Vec> before = run.models();
  const std::vector<Vec> uniform(2, Vec(3, 1.0 / 3));
  run.round({0, 1});
  // F_kc = sum over all rows of label c of gamma; P_k = F_k / sum_c F_kc, a class without rows counting 1e-8.
  std::vector<Vec> counts(2, Vec(3, 0.0));
  std::vector<Vec> weights;
  for (ClientId i : {0u, 1u}) {
    const Mixture found = mixture(run, before, i, {0.5, 0.5}, uniform);
    weights.push_back(found.weights);
    for (std::size_t j = 0; j < found.gamma.size(); ++j) {
      for (std::size_t k = 0; k < 2; ++k) {
        counts[k][run.federation.samples(i, Part::train, 0)->label(j)] += found.gamma[j][k];
      }
    }
  }
  std::vector<Vec> shares = counts;
  const Vec offered = run.algorithm->offer().figures[0];
  for (std::size_t k = 0; k < 2; ++k) {
    shares[k][2] = 1e-8;
    const double total = shares[k][0] + shares[k][1] + shares[k][2];
    for (std::size_t c = 0; c < 3; ++c) {
      shares[k][c] /= total;
      EXPECT_NEAR(offered[k * 3 + c], shares[k][c], 1e-12) << k << c;
    }
  }
  // The next round uses them.
  const std::vector<Vec> now = run.models();
  run.round({1});
  const Vec expected = mixture(run, now, 1, weights[1], shares).weights;
  const Vec found = dynamic_cast<const Tiered&>(*run.algorithm).clusters().weights[1];
  EXPECT_NEAR(found[0], expected[0], 1e-12);
  EXPECT_NEAR(found[1], expected[1], 1e-12);
}

TEST(FedRc, IsFedEmInItsFirstRound) {
  ClassRun::Choices choices;
  choices.algorithm = "fedrc";
  ClassRun rc(two_clients(), choices);
  choices.algorithm = "fedem";
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
}  // namespace coterie
