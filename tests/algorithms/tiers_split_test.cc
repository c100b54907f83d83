// What a split does to soft weights, end to end: halves, reset and hard.
#include <gtest/gtest.h>

#include "algorithms/tier_states.h"

namespace coterie::tiers_split_test {
namespace {

Samples rows(double first, double second) { return samples_of({{{1, 0}, first}, {{0, 1}, second}}, 2); }

// Clients 0 and 1 have one concept, client 2 the other; client 3 sees class 0 everywhere, which the second
// model expects. Weights of the first model before the split, from equal ones and by the models below:
//   row of class 0   1/2 / (1/2 + p),  row of class 1   1/2 / (1/2 + 1 - p),  p = 1 / (1 + e^-3)
struct Played {
  explicit Played(const std::string& split, const std::string& mu = "0",
                  const std::vector<std::vector<ClientId>>& cohorts = {{0, 1, 2, 3}})
      : run(GivenFederation({rows(0, 1), rows(0, 1), rows(1, 0), rows(0, 0)}), choices(split, mu)) {
    run.start({{0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 3, 0}});
    for (const std::vector<ClientId>& cohort : cohorts) run.round(cohort);
  }
  static ClassRun::Choices choices(const std::string& split, const std::string& mu) {
    ClassRun::Choices out;
    out.algorithm = "hcfl-plus";
    out.algorithm_toml = "backbone = \"fedem\"\nrho = 0.1\nmu = " + mu + "\nsplit = \"" + split + "\"";
    out.tiers_toml = "distance = \"prototype-cscp\"";
    return out;
  }
  void expect(ClientId client, const Vec& want) {
    const LookReply kept = kept_by(run, client);
    ASSERT_EQ(kept.weights.size(), want.size());
    for (std::size_t k = 0; k < want.size(); ++k) {
      EXPECT_NEAR(kept.weights[k], want[k], 1e-12) << client << k;
      EXPECT_NEAR(clusters(run).weights[client][k], want[k], 1e-12) << client << k;
    }
  }
  // The weights of one sample for the first, second and new model.
  void expect_row(ClientId client, std::size_t row, double first) {
    const Vec kept = kept_by(run, client).rows;
    ASSERT_EQ(kept.size(), 6u);
    EXPECT_NEAR(kept[3 * row], first / 2, 1e-12) << client << row;
    EXPECT_NEAR(kept[3 * row + 1], 1 - first, 1e-12) << client << row;
    EXPECT_NEAR(kept[3 * row + 2], first / 2, 1e-12) << client << row;
  }
  ClassRun run;
};

const double kP = 1 / (1 + std::exp(-3.0));
const double kOfClass0 = 0.5 / (0.5 + kP), kOfClass1 = 0.5 / (0.5 + 1 - kP);
const double kFirst = (kOfClass0 + kOfClass1) / 2;

TEST(TierSplit, HalvesWeights) {
  Played played("soft");
  for (const ClientId i : {0u, 1u, 2u}) played.expect(i, {kFirst / 2, 1 - kFirst, kFirst / 2});
  played.expect(3, {kOfClass0 / 2, 1 - kOfClass0, kOfClass0 / 2});
}

TEST(TierSplit, OrMakesThemEqual) {
  Played played("reset");
  for (const ClientId i : {0u, 1u, 2u, 3u}) played.expect(i, Vec(3, 1.0 / 3));
}

// Those of the samples are halved: with equal weights at first gamma is gamma~, and w_ijk is 0.4 of it and
// 0.6 of the client's.
TEST(TierSplit, OrMakesThoseOfClientsEqualAndHalvesThoseOfSamples) {
  Played played("reset", "0.4");
  for (const ClientId i : {0u, 1u, 2u, 3u}) played.expect(i, Vec(3, 1.0 / 3));
  for (const ClientId i : {0u, 1u}) {
    played.expect_row(i, 0, 0.4 * kOfClass0 + 0.6 * kFirst);
    played.expect_row(i, 1, 0.4 * kOfClass1 + 0.6 * kFirst);
  }
  played.expect_row(2, 0, 0.4 * kOfClass1 + 0.6 * kFirst);
  played.expect_row(3, 1, kOfClass0);
  Played none("reset");  // mu = 0: samples have what the client had
  for (const std::size_t j : {0u, 1u}) none.expect_row(0, j, kFirst);
}

// Client 3 is asked in the first round only, where all are alike; the second splits.
TEST(TierSplit, AResetReachesAClientThatWasNotAsked) {
  Played played("reset", "0.4", {{0, 1, 3}, {0, 1, 2}});
  ASSERT_EQ(played.run.models().size(), 3u);
  played.expect(3, Vec(3, 1.0 / 3));
  for (const std::size_t j : {0u, 1u}) played.expect_row(3, j, kOfClass0);
  Played never("reset", "0.4", {{0, 1}, {0, 1, 2}});
  EXPECT_TRUE(kept_by(never.run, 3).weights.empty());
  EXPECT_TRUE(clusters(never.run).weights[3].empty());
}

TEST(TierSplit, OrMovesMembersWhole) {
  for (const char* mu : {"0", "0.4"}) {
    Played played("hard", mu);
    for (const ClientId i : {0u, 1u}) played.expect(i, {kFirst, 1 - kFirst, 0});
    played.expect(2, {0, 1 - kFirst, kFirst});
    played.expect(3, {kOfClass0, 1 - kOfClass0, 0});
    // What has no weight gets none, whatever mu.
    played.run.round({0, 1, 2, 3});
    EXPECT_EQ(clusters(played.run).weights[2][0], 0);
    EXPECT_EQ(clusters(played.run).weights[0].back(), 0);
  }
}

}  // namespace
}  // namespace coterie::tiers_split_test
