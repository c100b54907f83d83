#include <gtest/gtest.h>

#include "support/tiny_federation.h"

namespace coterie::oracle_test {
namespace {

TEST(Oracle, AveragesInsideTrueClusters) {
  // Two clients of cluster 1 and one of cluster 0; unequal numbers of samples.
  TinyRun run({{{{1}}, {2}, 1}, {{{1}, {1}}, {5, 5}, 1}, {{{1}}, {-3}, 0}}, {.algorithm = "oracle"});
  EXPECT_EQ(run.algorithm->start_models(), 2u);
  run.start({{0.0}, {0.0}});
  run.round({0, 1, 2});
  EXPECT_NEAR(run.models()[0][0], -0.3, 1e-14);
  EXPECT_NEAR(run.models()[1][0], (1 * 0.2 + 2 * 0.5) / 3, 1e-14);
}

TEST(Oracle, AClusterOutsideTheCohortStays) {
  TinyRun run({{{{1}}, {2}, 1}, {{{1}}, {-3}, 0}}, {.algorithm = "oracle"});
  run.start({{0.25}, {0.5}});
  run.round({1});
  EXPECT_EQ(run.models()[1][0], 0.5);
  EXPECT_NE(run.models()[0][0], 0.25);
}

}  // namespace
}  // namespace coterie::oracle_test
