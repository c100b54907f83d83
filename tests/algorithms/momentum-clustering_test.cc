#include <gtest/gtest.h>

#include "algorithms/personal_models.h"

namespace coterie {
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
  EXPECT_EQ(run.algorithm->groups()[0], run.algorithm->groups()[1]);
  EXPECT_NE(run.algorithm->groups()[0], run.algorithm->groups()[2]);
}

// The centres go on from where they were: with nobody within 1 of them, they stay, and so do the steps.
TEST(MomentumClustering, CentresBeginWhereTheyWere) {
  TinyRun run(kThree, choices("radius = 1"));
  run.start({{5.0}});
  run.round({0, 1, 2});
  run.round({0, 1, 2});
  EXPECT_NEAR(model_of(run, 0), 4.75 - 0.25, 1e-14);
  EXPECT_NEAR(model_of(run, 2), 5.25 + 0.25, 1e-14);
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

}  // namespace
}  // namespace coterie
