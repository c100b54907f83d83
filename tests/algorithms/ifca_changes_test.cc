// Phase 2 of FedMD: ifca with average = "changes".
#include <gtest/gtest.h>

#include "support/tiny_federation.h"

namespace coterie::ifca_changes_test {
namespace {

// Three clients of two clusters; by the losses at (1, 1) and (-1, 0.5) they choose 0, 1, 0.
std::vector<TinyFederation::Client> three_clients() {
  return {{{{1, 2}, {0, 1}}, {3, 1}, 0}, {{{2, -1}}, {-2}, 1}, {{{1, 0}, {1, 1}, {-1, 2}}, {0.5, 1, 2}, 0}};
}

std::vector<Vec> played(const std::string& solver, const std::string& toml, const std::string& more = "",
                        std::vector<ClientId> cohort = {0, 1, 2}) {
  TinyRun run(three_clients(), {.algorithm = "ifca",
                                .algorithm_toml = "average = \"changes\"\n" + more,
                                .solver = solver,
                                .solver_toml = toml,
                                .clusters = 2});
  run.start({{1, 1}, {-1, 0.5}});
  run.round(std::move(cohort));
  return run.models();
}

void expect_models(const std::vector<Vec>& models, const std::vector<Vec>& expected) {
  for (std::size_t k = 0; k < 2; ++k) {
    for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(models[k][j], expected[k][j], 1e-14) << k << " " << j;
  }
}

// Lemma 1 (10): theta_l - eta/N sum_{z_i = l} X_i' P_i (X_i theta_l - y_i), N = 6, eta = 0.2, with numpy:
//   P = sum(matrix_power(I - eta * X @ X.T / n, t) for t in range(3))
TEST(FedXClustering, FedAvgIsLemma1) {
  expect_models(played("gd", "rate = 0.2\nsteps = 3"),
                {{0.8017777777777778, 1.0568148148148149}, {-0.9666666666666667, 0.48333333333333334}});
}

//   P = inv(I + eta * X @ X.T / n)
TEST(FedXClustering, FedProxIsLemma1) {
  expect_models(played("proximal", "rate = 0.2"),
                {{0.9317548746518106, 1.0215877437325904}, {-0.9833333333333333, 0.49166666666666664}});
}

// Client 1 alone: residual -2.5 + 2 = -0.5, gradient (-1, 0.5), so one step leads to (-0.8, 0.4). N is its
// own single sample, or all 6.
TEST(FedXClustering, NIsThatOfTheCohortOrOfAllClients) {
  expect_models(played("gd", "rate = 0.2\nsteps = 1", "divisor = \"cohort\"", {1}), {{1, 1}, {-0.8, 0.4}});
  expect_models(played("gd", "rate = 0.2\nsteps = 1", "divisor = \"all\"", {1}),
                {{1, 1}, {-1 + 0.2 / 6, 0.5 - 0.1 / 6}});
}

// m clients, K models of d numbers: w m K d bytes down, and m (w d + 12) up: a model, the choice and its
// loss.
TEST(FedXClustering, BytesAreThoseOfTheFormula) {
  TinyRun run(three_clients(),
              {.algorithm = "ifca", .algorithm_toml = "average = \"changes\"", .clusters = 2});
  run.start({{1, 1}, {-1, 0.5}});
  run.round({0, 1, 2});
  EXPECT_EQ(run.fleet->traffic().down, 8u * 3 * 2 * 2);
  EXPECT_EQ(run.fleet->traffic().up, 3u * (8 * 2 + 12));
}

TEST(FedXClustering, OneClusterIsFedAvgToTheBit) {
  std::vector<std::vector<Vec>> models;
  for (const char* kind : {"ifca", "fedavg"}) {
    const bool ifca = std::string(kind) == "ifca";
    TinyRun run(three_clients(),
                {.algorithm = kind, .algorithm_toml = ifca ? "average = \"changes\"" : "", .clusters = 1});
    run.start({{0.3, 0.1}});
    for (int t = 0; t < 3; ++t) run.round({0, 1, 2});
    models.push_back(run.models());
  }
  EXPECT_EQ(models[0], models[1]);
}

// The bound: true labels, each model going its cluster's share of the way. Clusters have 5 and 1 of 6
// samples.
TEST(FedXClustering, TheOracleCanDivideByTheCohortToo) {
  std::vector<std::vector<Vec>> models;
  for (const char* divisor : {"cluster", "cohort"}) {
    TinyRun run(three_clients(), {.algorithm = "oracle",
                                  .algorithm_toml = std::string("divisor = \"") + divisor + "\"",
                                  .solver_toml = "rate = 0.2\nsteps = 3",
                                  .clusters = 2});
    run.start({{1, 1}, {-1, 0.5}});
    run.round({0, 1, 2});
    models.push_back(run.models());
  }
  for (std::size_t j = 0; j < 2; ++j) {
    EXPECT_NEAR(models[1][0][j], 1 + 5.0 / 6 * (models[0][0][j] - 1), 1e-15);
  }
  EXPECT_NEAR(models[1][1][0], -0.9666666666666667, 1e-14) << "as FedX+clustering with the same labels";
}

}  // namespace
}  // namespace coterie::ifca_changes_test
