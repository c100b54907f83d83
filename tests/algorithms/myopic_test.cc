#include <gtest/gtest.h>

#include "algorithms/personal_models.h"

namespace coterie::myopic_test {
namespace {

// Gradients at 5 are 5, 4 and -5: two groups, whose means are 4.5 and -5.
TEST(Myopic, GroupsStepAlongTheirMeanGradient) {
  TinyRun run({wants(0), wants(1), wants(10)}, {.algorithm = "myopic", .clusters = 2});
  run.start({{5.0}});
  run.round({0, 1, 2});
  EXPECT_NEAR(model_of(run, 0), 5 - 0.45, 1e-14);
  EXPECT_NEAR(model_of(run, 1), 5 - 0.45, 1e-14);
  EXPECT_NEAR(model_of(run, 2), 5 + 0.5, 1e-14);
  EXPECT_EQ(run.algorithm->found_clusters()[0], run.algorithm->found_clusters()[1]);
  EXPECT_NE(run.algorithm->found_clusters()[0], run.algorithm->found_clusters()[2]);
}

// The gradient of who is done is 0, wherever that is: such clients are taken for alike.
TEST(Myopic, TakesClientsForAlikeThatAreDone) {
  TinyRun run({wants(3), wants(-3), wants(10)}, {.algorithm = "myopic", .clusters = 2});
  run.start({{5.0}});
  for (int t = 0; t < 400; ++t) run.round({0});
  for (int t = 0; t < 400; ++t) run.round({1});
  run.round({0, 1, 2});
  EXPECT_NEAR(model_of(run, 0), 3, 1e-12);
  EXPECT_NEAR(model_of(run, 1), -3, 1e-12);
  EXPECT_EQ(run.algorithm->found_clusters()[0], run.algorithm->found_clusters()[1]);
  EXPECT_NE(run.algorithm->found_clusters()[0], run.algorithm->found_clusters()[2]);
}

TEST(Myopic, AGroupsMeanGoesByWeights) {
  TinyRun run({wants(0), {{{1}, {1}, {1}}, {1, 1, 1}, 0}}, {.algorithm = "myopic", .clusters = 1});
  run.start({{0.0}});
  run.round({0, 1});
  EXPECT_NEAR(model_of(run, 0), 0.1 * 0.75, 1e-14);
}

TEST(Myopic, AClientThatWasNeverAskedIsInAGroupOfItsOwn) {
  TinyRun run({wants(0), wants(1), wants(10), wants(11)}, {.algorithm = "myopic", .clusters = 2});
  run.start({{5.0}});
  EXPECT_EQ(run.algorithm->found_clusters(), (std::vector<std::uint32_t>{2, 3, 4, 5}));
  run.round({0, 2});
  const std::vector<std::uint32_t> groups = run.algorithm->found_clusters();
  EXPECT_NE(groups[0], groups[2]);
  EXPECT_LT(std::max(groups[0], groups[2]), 2u);
  EXPECT_EQ(groups[1], 2u);
  EXPECT_EQ(groups[3], 3u);
}

TEST(Myopic, SendsOneVectorEachWay) {
  TinyRun run({wants(0), wants(1)}, {.algorithm = "myopic", .clusters = 2});
  run.start({{0.0}});
  run.round({0, 1});
  EXPECT_EQ(run.fleet->traffic().up, 2u * 8);
  EXPECT_EQ(run.fleet->traffic().down, 2u * 3 * 8) << "the start twice, since nothing is kept before a step";
  run.round({0, 1});
  EXPECT_EQ(run.fleet->traffic().up, 4u * 8);
  EXPECT_EQ(run.fleet->traffic().down, 2u * 3 * 8 + 2u * 8);
}

}  // namespace
}  // namespace coterie::myopic_test
