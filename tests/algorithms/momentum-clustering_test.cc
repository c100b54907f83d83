#include <gtest/gtest.h>

#include "algorithms/personal_models.h"
#include "support/attacked_run.h"

namespace coterie::momentum_clustering_test {
namespace {

const std::vector<TinyFederation::Client> kThree = {wants(0), wants(0), wants(10, 1)};

TinyRun::Choices choices(const std::string& toml) {
  return {.algorithm = "momentum-clustering",
          .algorithm_toml = "alpha = 0.5\nrule = \"fixed\"\n" + toml,
          .clusters = 2};
}

// m = 0.5 g + 0.5 m: 2.5, then 0.5 * 4.75 + 0.5 * 2.5 = 3.625.
TEST(MomentumClustering, StepsAlongTheCentreOfRunningMeans) {
  TinyRun run(kThree, choices("radius = 3"));
  run.start({{5.0}});
  run.round({0, 1, 2});
  EXPECT_NEAR(model_of(run, 0), 4.75, 1e-14);
  EXPECT_NEAR(model_of(run, 2), 5.25, 1e-14);
  run.round({0, 1, 2});
  EXPECT_NEAR(model_of(run, 0), 4.75 - 0.3625, 1e-14);
  EXPECT_NEAR(model_of(run, 1), 4.75 - 0.3625, 1e-14);
  EXPECT_NEAR(model_of(run, 2), 5.25 + 0.3625, 1e-14);
  EXPECT_EQ(run.algorithm->found_clusters()[0], run.algorithm->found_clusters()[1]);
  EXPECT_NE(run.algorithm->found_clusters()[0], run.algorithm->found_clusters()[2]);
}

TEST(MomentumClustering, StepsHaveTheRateOfTheirRound) {
  TinyRun::Choices fading = choices("radius = 3");
  fading.solver_toml = "rate = 0.1\nsteps = 1\ndecay = 0.5";
  TinyRun run(kThree, fading);
  run.start({{5.0}});
  run.round({0, 1, 2});
  run.round({0, 1, 2});
  EXPECT_NEAR(model_of(run, 0), 4.75 - 0.05 * 3.625, 1e-14);
}

// The centres go on from where they were: one update (4) from 2.5 and -2.5.
TEST(MomentumClustering, CentresBeginWhereTheyWere) {
  TinyRun run(kThree, choices("radius = 3\nsteps = 1"));
  run.start({{5.0}});
  run.round({0, 1, 2});
  run.round({0, 1, 2});
  EXPECT_NEAR(model_of(run, 0), 4.75 - 0.1 * (3.625 + 3.625 + 2.5) / 3, 1e-14);
  EXPECT_NEAR(model_of(run, 2), 5.25 + 0.1 * (3.625 + 2.5 + 2.5) / 3, 1e-14);
}

TinyRun::Choices percentile(std::size_t clusters, const std::string& toml) {
  return {.algorithm = "momentum-clustering",
          .algorithm_toml = "rule = \"percentile\"\nquantile = 0.2\nfactor = 0.99\n" + toml,
          .clusters = clusters};
}

// Running means are -y at 0, the centre is at their mean, -28.5. The distance of rank floor(0.2 * 10) = 2,
// from 0, is that of -16; less a hundredth the ball holds -25 and -36 alone, and whoever is outside counts as
// the centre.
TEST(MomentumClustering, TheBallIsThatOfTheAuthorsPercentile) {
  std::vector<TinyFederation::Client> clients;
  for (int i = 0; i < 10; ++i) clients.push_back(wants(i * i));
  TinyRun run(clients, percentile(1, "alpha = 1.0\nsteps = 1"));
  run.start({{0.0}});
  run.round(run.fleet->everyone());
  EXPECT_NEAR(model_of(run, 0), 0.1 * (25 + 36 + 8 * 28.5) / 10, 1e-12);
}

// The rank of a fifth of three clients is 0: the nearest distance, less a hundredth, holds nobody, unless the
// centre is a running mean; nor does a radius of 1 around 2.5 when they are at 3.625. Centres would stay
// where the first round put them; they go to the nearest instead.
TEST(MomentumClustering, ACentreWhoseBallHoldsNobodyGoesToTheNearest) {
  TinyRun::Choices theory = percentile(2, "");
  theory.algorithm_toml = "alpha = 0.5\nrule = \"theory\"\nsigma = 0.5\nseparation = 2.0\nshare = 1.0";
  for (const TinyRun::Choices& one : {percentile(2, "alpha = 0.5"), choices("radius = 1"), theory}) {
    TinyRun run(kThree, one);
    run.start({{5.0}});
    run.round({0, 1, 2});
    EXPECT_NEAR(model_of(run, 0), 4.75, 1e-14) << one.algorithm_toml;
    run.round({0, 1, 2});
    EXPECT_NEAR(model_of(run, 0), 4.75 - 0.3625, 1e-14) << one.algorithm_toml;
    EXPECT_NEAR(model_of(run, 2), 5.25 + 0.3625, 1e-14) << one.algorithm_toml;
  }
}

// Running means of 4 and 6 are nearest to the centre at 2.5, whose ball of radius 1 holds neither.
TEST(MomentumClustering, AnEmptyCentreGoesToTheNearestOfSeveral) {
  std::vector<TinyFederation::Client> five = kThree;
  five.push_back(wants(-7));
  five.push_back(wants(-3));
  TinyRun run(five, choices("radius = 1"));
  run.start({{5.0}});
  run.round({0, 1, 2});
  run.round({3, 4});
  EXPECT_NEAR(model_of(run, 3), 5 - 0.1 * 4, 1e-14);
  EXPECT_NEAR(model_of(run, 4), 5 - 0.1 * 4, 1e-14);
}

// A running mean of 0 draws both centres, at 2.5 and -2.5, to itself.
TEST(MomentumClustering, OfEquallyNearCentresTheFirstIsChosen) {
  std::vector<TinyFederation::Client> four = kThree;
  four.push_back(wants(5));
  TinyRun run(four, choices("radius = 3"));
  run.start({{5.0}});
  run.round({0, 1, 2});
  run.round({3});
  EXPECT_EQ(run.algorithm->found_clusters()[3], 0u);
}

// While the third client is not asked its centre is nobody's nearest, and waits for it.
TEST(MomentumClustering, ACentreWhoseClientsAreNotAskedStays) {
  TinyRun run(kThree, choices("radius = 3"));
  run.start({{5.0}});
  run.round({0, 1, 2});
  for (int t = 0; t < 3; ++t) run.round({0, 1});
  run.round({2});
  EXPECT_NE(run.algorithm->found_clusters()[0], run.algorithm->found_clusters()[2]);
  EXPECT_NEAR(model_of(run, 2), 5.25 + 0.3625, 1e-14);
}

TEST(MomentumClustering, AClientThatIsNotAskedKeepsModelAndMomentum) {
  TinyRun run(kThree, choices("radius = 3"));
  run.start({{5.0}});
  run.round({0, 1, 2});
  run.round({0, 2});
  EXPECT_NEAR(model_of(run, 1), 4.75, 1e-14);
  run.round({1});  // m = 0.5 * 4.75 + 0.5 * 2.5 is all that is within 3 of the centre
  EXPECT_NEAR(model_of(run, 1), 4.75 - 0.3625, 1e-14);
}

// k-means alone would give the liar a centre for good, and the other to both groups. Near the end the groups'
// gradients are within a radius of each other, and mix.
TEST(MomentumClustering, ALieFarAwayGetsNoCentre) {
  std::vector<TinyFederation::Client> clients;
  for (int i = 0; i < 4; ++i) clients.push_back(wants(0.1 * i));
  for (int i = 0; i < 5; ++i) clients.push_back(wants(10 + 0.1 * i, 1));
  AttackedRun it(clients, choices("radius = 0.5"), "huge", "", 0.11);
  ASSERT_EQ(it.liars->all().size(), 1u);
  it.run.start({{5.0}});
  for (int t = 0; t < 100; ++t) it.run.round(it.everyone);
  for (ClientId i = 0; i < clients.size(); ++i) {
    if (it.lies(i)) continue;
    EXPECT_NEAR(model_of(it.run, i), i < 4 ? 0.15 : 10.2, 0.5) << i;
  }
}

TEST(MomentumClustering, AClientThatWasNeverAskedIsInAGroupOfItsOwn) {
  TinyRun run(kThree, choices("radius = 3"));
  run.start({{5.0}});
  run.round({0, 2});
  EXPECT_NE(run.algorithm->found_clusters()[0], run.algorithm->found_clusters()[2]);
  EXPECT_EQ(run.algorithm->found_clusters()[1], 2u);
}

}  // namespace
}  // namespace coterie::momentum_clustering_test
