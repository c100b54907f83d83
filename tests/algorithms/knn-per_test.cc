#include <gtest/gtest.h>

#include <cmath>

#include "algorithms/personal_models.h"
#include "support/class_run.h"

namespace coterie::knn_per_test {
namespace {

// Features of a linear model are the inputs: rows at 0 and 1.
const std::vector<TinyFederation::Client> kOne = {{{{0}, {1}}, {5, 7}, 0}};

TEST(KnnPer, TheNearestSampleAloneIsItself) {
  TinyRun run(kOne, {.algorithm = "knn-per", .algorithm_toml = "weight = 1.0\nneighbours = 1"});
  run.start({{3.0}});
  EXPECT_EQ(predictions_of(run, 0), (Vec{5, 7}));
}

TEST(KnnPer, MixesNeighboursByDistanceWithTheCommonModel) {
  TinyRun run(kOne, {.algorithm = "knn-per", .algorithm_toml = "weight = 0.25\nneighbours = 2\nscale = 0.5"});
  run.start({{3.0}});
  const double near = 1, far = std::exp(-1 / 0.5);
  const Vec out = predictions_of(run, 0);
  EXPECT_NEAR(out[0], 0.25 * (5 * near + 7 * far) / (near + far) + 0.75 * 0, 1e-14);
  EXPECT_NEAR(out[1], 0.25 * (5 * far + 7 * near) / (near + far) + 0.75 * 3, 1e-14);
}

TEST(KnnPer, WithoutNeighboursIsFedAvg) {
  TinyRun run(kOne, {.algorithm = "knn-per", .algorithm_toml = "weight = 0.0"});
  TinyRun average(kOne, {.algorithm = "fedavg"});
  for (TinyRun* one : {&run, &average}) {
    one->start({{3.0}});
    one->round({0});
  }
  EXPECT_EQ(predictions_of(run, 0), predictions_of(average, 0));
  EXPECT_EQ(run.models(), average.models());
}

TEST(KnnPer, SquaredDistancesAndScoresAsWell) {
  TinyRun run(kOne, {.algorithm = "knn-per",
                     .algorithm_toml = "weight = 1.0\nneighbours = 2\nscale = 2.0\nsquared = true\n"
                                       "look_at = \"scores\""});
  run.start({{3.0}});  // scores 0 and 3
  const double far = std::exp(-9 / 2.0);
  EXPECT_NEAR(predictions_of(run, 0)[0], (5 + 7 * far) / (1 + far), 1e-14);
}

// The row at 1 is as far from a blank as from the row at 0, which comes first; blanks count 0.
TEST(KnnPer, BlanksAreZerosOfTargetZero) {
  TinyRun run(kOne, {.algorithm = "knn-per", .algorithm_toml = "weight = 1.0\nneighbours = 3\nblanks = 100"});
  run.start({{3.0}});
  const double far = std::exp(-1.0);
  const Vec out = predictions_of(run, 0);
  EXPECT_NEAR(out[0], 5 / (1 + 2.0), 1e-14);  // itself, and two blanks at the same place
  EXPECT_NEAR(out[1], (7 + 5 * far) / (1 + 2 * far), 1e-14);
}

// Rows at 0, 1 and 3 of classes 0, 1 and 1; the common model has equal scores everywhere. The row at 1 sees
// itself, the row at 0 one away and the row at 3 two away.
TEST(KnnPer, NeighboursVoteForTheirClassesAndTheLossIsOfTheMixture) {
  ClassRun run(GivenFederation({samples_of({{{0}, 0}, {{1}, 1}, {{3}, 1}}, 2)}),
               {.algorithm = "knn-per", .algorithm_toml = "weight = 0.75\nneighbours = 3", .clusters = 1});
  run.start({Vec(4, 0.0)});
  const OwnPredictions own = own_predictions(run, 0);
  const double one = std::exp(-1), two = std::exp(-2), three = std::exp(-3);
  const Vec second = {0.75 * (one + three) / (1 + one + three) + 0.125,
                      0.75 * (1 + two) / (1 + one + two) + 0.125,
                      0.75 * (1 + two) / (1 + two + three) + 0.125};
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_NEAR(own.outputs[2 * j + 1], second[j], 1e-12) << j;
    EXPECT_NEAR(own.outputs[2 * j], 1 - second[j], 1e-12) << j;
    EXPECT_NEAR(own.losses[j], -std::log(j == 0 ? 1 - second[j] : second[j]), 1e-12) << j;
  }
}

// More neighbours than samples are all samples.
TEST(KnnPer, TakesWhatThereIs) {
  TinyRun run(kOne, {.algorithm = "knn-per", .algorithm_toml = "weight = 1.0\nneighbours = 50\nscale = 1e9"});
  run.start({{3.0}});
  EXPECT_NEAR(predictions_of(run, 0)[0], 6, 1e-6);
}

}  // namespace
}  // namespace coterie::knn_per_test
