#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/tiny_federation.h"

namespace coterie::kmeans_pp_test {
namespace {

// Each client has the sample x = 1: its own model is y.
std::vector<TinyFederation::Client> clients_at(const Vec& targets) {
  std::vector<TinyFederation::Client> clients;
  for (double y : targets) clients.push_back({{{1}}, {y}, 0});
  return clients;
}

struct Made {
  Made(const Vec& targets, std::size_t clusters, const std::string& toml = "")
      : run(clients_at(targets), {.algorithm = "ifca", .clusters = clusters}) {
    start = make_plugin<Init>("kmeans++", toml)
                ->make({*run.fleet, *run.setting, *run.algorithm, [&](std::uint32_t) { ++logged; }});
  }
  TinyRun run;
  Start start;
  int logged = 0;
};

TEST(KMeansPlusPlusStart, ModelsAreCentresAndMembershipsAreGroups) {
  Made made({1, 2, 9, 10, 11}, 2);
  ASSERT_EQ(made.start.models.size(), 2u);
  ASSERT_EQ(made.start.memberships.size(), 5u);
  std::uint32_t low = made.start.memberships[0];
  EXPECT_EQ(made.start.memberships, (std::vector<std::uint32_t>{low, low, 1 - low, 1 - low, 1 - low}));
  EXPECT_NEAR(made.start.models[low][0], 1.5, 1e-14);
  EXPECT_NEAR(made.start.models[1 - low][0], 10, 1e-14);
  EXPECT_EQ(made.logged, 1);
  EXPECT_EQ(made.run.fleet->traffic().up, 5u * 8);
}

TEST(KMeansPlusPlusStart, OneClusterBeginsAtTheMeanOfAllModels) {
  Made made({1, 2, 6}, 1);
  EXPECT_NEAR(made.start.models[0][0], 3, 1e-14);
  EXPECT_EQ(made.start.memberships, (std::vector<std::uint32_t>{0, 0, 0}));
}

TEST(KMeansPlusPlusStart, AClientWhoseNumbersAreNotFiniteBelongsNowhere) {
  Made made({1, std::nan(""), 9}, 2);
  EXPECT_EQ(made.start.memberships[1], kUnknownCluster);
  Vec models = {made.start.models[0][0], made.start.models[1][0]};
  std::sort(models.begin(), models.end());
  EXPECT_NEAR(models[0], 1, 1e-14);
  EXPECT_NEAR(models[1], 9, 1e-14);
}

TEST(KMeansPlusPlusStart, NeedsAsManyUsableModelsAsClusters) {
  EXPECT_THROW(Made({1}, 2), Error);
  EXPECT_THROW(Made({1, 2, std::nan("")}, 3), Error);
  EXPECT_NO_THROW(Made({1}, 1));
}

TEST(KMeansPlusPlusStart, MayUseShortLocalTraining) {
  Made made({1, 9}, 2, "solver = \"local\"");
  // One step of 0.1 from the common random model.
  double from = random_models(*made.run.setting, 1, 0)[0][0];
  EXPECT_NEAR(made.start.models[made.start.memberships[1]][0], from - 0.1 * (from - 9), 1e-14);
}

}  // namespace
}  // namespace coterie::kmeans_pp_test
