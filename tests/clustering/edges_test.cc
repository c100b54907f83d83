#include "clustering/edges.h"

#include <gtest/gtest.h>

#include <cmath>

#include "coterie/data.h"
#include "coterie/error.h"

namespace coterie::edges_test {
namespace {

Points on_a_line(const Vec& values) { return {values, values.size(), 1}; }

TEST(Edges, JoinAllPairs) {
  const std::vector<Edge> edges = all_pairs(4);
  ASSERT_EQ(edges.size(), 6u);
  EXPECT_EQ(edges[3].a, 1u);
  EXPECT_EQ(edges[3].b, 2u);
  EXPECT_EQ(edges[3].weight, 1);
  EXPECT_TRUE(all_pairs(1).empty());
}

// 0, 1, 3, 7: each one's nearest are 1, 0, 1, 3.
TEST(Edges, JoinNearestNeighboursOnALine) {
  const Vec line = {0, 1, 3, 7};
  const std::vector<Edge> edges = knn_edges(on_a_line(line), 1, 0.5);
  ASSERT_EQ(edges.size(), 3u);
  const std::uint32_t ends[3][2] = {{0, 1}, {1, 2}, {2, 3}};
  const double squared[3] = {1, 4, 16};
  for (std::size_t e = 0; e < 3; ++e) {
    EXPECT_EQ(edges[e].a, ends[e][0]);
    EXPECT_EQ(edges[e].b, ends[e][1]);
    EXPECT_NEAR(edges[e].weight, std::exp(-0.5 * squared[e]), 1e-15);
  }
  EXPECT_EQ(knn_edges(on_a_line(line), 99, 0).size(), 6u);
}

TEST(Edges, TheFirstOfEquallyNearPointsIsNearer) {
  const Vec line = {1, 0, 2, 10};
  const std::vector<Edge> edges = knn_edges(on_a_line(line), 1, 0);
  // 1 takes 0 and not 2; 0 and 2 take 1; 10 takes 2.
  ASSERT_EQ(edges.size(), 3u);
  EXPECT_EQ(edges[0].b, 1u);
  EXPECT_EQ(edges[1].b, 2u);
  EXPECT_EQ(edges[2].a, 2u);
}

TEST(Edges, RefuseWhatIsNotFinite) {
  const Vec line = {1, std::nan(""), 2};
  EXPECT_THROW(knn_edges(on_a_line(line), 1, 1), Error);
}

}  // namespace
}  // namespace coterie::edges_test
