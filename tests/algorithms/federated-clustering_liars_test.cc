// Clusters that survive liars: whatever a fifth of the clients sends, no honest model ends farther from its
// cluster's mean than the ball lets liars pull it, beta / delta of the radius.
#include <gtest/gtest.h>

#include <cmath>

#include "algorithms/personal_models.h"
#include "support/attacked_run.h"

namespace coterie::federated_clustering_liars_test {
namespace {

constexpr double kRadius = 2, kSpread = 0.1;

// Ten clients want about 0 and ten about 10.
std::vector<TinyFederation::Client> two_clusters() {
  std::vector<TinyFederation::Client> clients;
  for (std::uint32_t i = 0; i < 20; ++i)
    clients.push_back(wants((i % 2) * 10 + kSpread * (i / 2 % 3), i % 2));
  return clients;
}

TEST(FederatedClusteringLiars, NobodyIsPulledFartherThanTheBallAllows) {
  const std::vector<std::pair<std::string, std::string>> attacks = {
      {"sign-flip", ""},
      {"gaussian", ""},
      {"huge", ""},
      {"nan", ""},
      {"inner-product", ""},
      {"alie", ""},
      {"edge-of-radius", ""},
      {"edge-of-radius", "knows = \"owners\"\nradius = 2"},
      {"edge-of-radius", "knows = \"owners\"\nradius = 2\nstand = \"first\""}};
  double worst = 0;
  for (const auto& [kind, toml] : attacks) {
    AttackedRun it(two_clusters(),
                   {.algorithm = "federated-clustering", .algorithm_toml = "rule = \"fixed\"\nradius = 2"},
                   kind, toml, 0.2);
    it.run.start({{5.0}});
    for (int t = 0; t < 80; ++t) it.run.round(it.everyone);
    for (const std::uint32_t cluster : {0u, 1u}) {
      double honest = 0, mean = 0;
      for (ClientId i = cluster; i < 20; i += 2) {
        if (it.lies(i)) continue;
        honest += 1;
        mean += cluster * 10 + kSpread * (i / 2 % 3);
      }
      const double pull = kRadius * 4 / honest;
      for (ClientId i = cluster; i < 20; i += 2) {
        if (it.lies(i)) continue;
        const double away = std::fabs(model_of(it.run, i) - mean / honest);
        EXPECT_LE(away, pull + kSpread) << kind << " " << toml << ", client " << i;
        worst = std::max(worst, away);
      }
    }
  }
  EXPECT_GT(worst, 0.3) << "some of them do pull";
}

// By the mean of all the same lies carry everybody away.
TEST(FederatedClusteringLiars, TheMeanDoesNotSurvive) {
  AttackedRun it(two_clusters(), {.algorithm = "oracle", .clusters = 2}, "sign-flip", "scale = 10", 0.2);
  it.run.start({{5.0}, {5.0}});
  for (int t = 0; t < 80; ++t) it.run.round(it.everyone);
  EXPECT_GT(std::fabs(it.run.models()[0][0]), 3);
}

// All but one lie: the honest client has its own gradient, and stays with it.
TEST(FederatedClusteringLiars, TheOnlyHonestClientLearnsAlone) {
  AttackedRun it({wants(1), wants(1), wants(1), wants(1)},
                 {.algorithm = "federated-clustering", .algorithm_toml = "rule = \"fixed\"\nradius = 0.5"},
                 "huge", "", 0.9);
  ASSERT_EQ(it.liars->all().size(), 3u);
  it.run.start({{0.0}});
  for (int t = 0; t < 80; ++t) it.run.round(it.everyone);
  for (ClientId i = 0; i < 4; ++i) {
    if (it.lies(i)) continue;
    EXPECT_NEAR(model_of(it.run, i), 1, 1e-3);
  }
}

}  // namespace
}  // namespace coterie::federated_clustering_liars_test
