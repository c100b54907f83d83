// The subspaces that FedMD's anchors look in.
#include <gtest/gtest.h>

#include <cmath>

#include "inits/fedmd/subspaces.h"
#include "inits/fedmd_runs.h"

namespace coterie::fedmd_subspaces_test {
namespace {

// U of the first round, at theta = 0, for the anchor 0.
Vec first_subspace(const Clients& clients, std::size_t directions, const FedMdOptions& options) {
  TinyRun run(clients, Made::with_ifca({}));
  const InitContext context{*run.fleet, *run.setting, *run.algorithm, nullptr};
  const std::vector<ClientId> everyone = run.fleet->everyone();
  AnchorDescent descent{{0}, {Vec(run.model->size(), 0.0)}, {true}};
  Vec found;
  run.fleet->before_rounds([&](const Fleet::Begin& begin) {
    begin(1, 0);
    found = Subspaces(context, options, everyone, 1).find(descent, directions)[0];
  });
  return found;
}

// Products are 9 e1 e1' at a client with 2 samples and 4 e2 e2' at one with 4. By samples Y is (18 e1 e1' +
// 16 e2 e2') / 6, by pairs (9, 12) / 4, uniformly (9, 4) / 2: which of the two leads tells the weights.
TEST(FedMd, ClientsCountInYAsAskedFor) {
  const Clients clients = {{{{1, 0}, {1, 0}}, {3, 3}, 0}, {std::vector<Vec>(4, Vec{0, 1}), Vec(4, 2.0), 1}};
  struct Case {
    const char *weights, *pairs;
    std::size_t leads;
  };
  for (const Case& one : {Case{"samples", "all", 0}, Case{"pairs", "all", 1}, Case{"uniform", "all", 0},
                          Case{"pairs", "one", 0}}) {
    for (const char* how : {"svd", "iteration"}) {
      FedMdOptions options;
      options.subspace = how;
      options.weights = one.weights;
      options.pairs = one.pairs;
      options.iterations = 100;
      const Vec u = first_subspace(clients, 1, options);
      EXPECT_NEAR(std::fabs(u[one.leads]), 1, 1e-3) << how << " " << one.weights << " " << one.pairs;
      EXPECT_NEAR(u[1 - one.leads], 0, 2e-3) << how << " " << one.weights << " " << one.pairs;
    }
  }
  // With 8 samples instead of 4 Algorithm 3 has (18 e1 e1' + 32 e2 e2') / 10.
  const Clients more = {clients[0], {std::vector<Vec>(8, Vec{0, 1}), Vec(8, 2.0), 1}};
  FedMdOptions options;
  options.subspace = "svd";
  EXPECT_NEAR(std::fabs(first_subspace(more, 1, options)[1]), 1, 1e-3) << "n_i by default";
  options.weights = "uniform";
  EXPECT_NEAR(std::fabs(first_subspace(more, 1, options)[0]), 1, 1e-3);
}

// As many multiplications as there are by default give the span of the top singular vectors.
TEST(FedMd, TenMultiplicationsAreEnough) {
  FedMdOptions dense, iterated;
  dense.subspace = "svd";
  const Clients clients = two_clusters(20, 6);
  const Vec a = first_subspace(clients, 2, dense), b = first_subspace(clients, 2, iterated);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_NEAR(a[i] * a[j] + a[3 + i] * a[3 + j], b[i] * b[j] + b[3 + i] * b[3 + j], 1e-3);
    }
  }
}

TEST(FedMd, OrthogonalIterationAgreesWithADenseDecomposition) {
  const std::string same = "delta = 3.7\nalpha = 1.0\nbeta = 1.0\nrounds = 4\nrecruit = 0\n";
  const Made dense(two_clusters(20, 6), same + "subspace = \"svd\"");
  const Made iterated(two_clusters(20, 6), same + "iterations = 200");
  ASSERT_EQ(dense.start.models.size(), iterated.start.models.size());
  for (std::size_t k = 0; k < 2; ++k) {
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_NEAR(dense.start.models[k][j], iterated.start.models[k][j], 1e-6);
    }
  }
}

}  // namespace
}  // namespace coterie::fedmd_subspaces_test
