#include <gtest/gtest.h>

#include <cmath>

#include "algorithms/tiers/bipartition.h"
#include "coterie/error.h"
#include "math/cosine.h"

namespace coterie::tiers_bipartition_test {
namespace {

using Labels = std::vector<std::uint32_t>;

// 0, 2, 3 and 10 on a line, in any order: {0, 2, 3} and {10}, 3 wide and 7 apart.
TEST(Bipartition, DividesByCompleteLinkage) {
  for (const Vec& line : {Vec{0, 2, 3, 10}, Vec{3, 2, 0, 10}, Vec{2, 3, 0, 10}}) {
    Vec distances;
    for (double a : line) {
      for (double b : line) distances.push_back(std::fabs(a - b));
    }
    const Bipartition got = bipartition(distances, 4);
    EXPECT_EQ(got.parts, (Labels{0, 0, 0, 1}));
    EXPECT_EQ(got.within, 3);
    EXPECT_EQ(got.across, 7);
  }
}

TEST(Bipartition, OfUpdatesThatPullApart) {
  const Vec updates = {1, 0.1, -1, 0.1, 0.9, -0.1, -1.1, 0};
  EXPECT_EQ(bipartition(cosine_distances({updates, 4, 2}), 4).parts, (Labels{0, 1, 0, 1}));
}

TEST(Bipartition, OfTwo) {
  const Vec distances = {0, 5, 5, 0};
  const Bipartition got = bipartition(distances, 2);
  EXPECT_EQ(got.parts, (Labels{0, 1}));
  EXPECT_EQ(got.within, 0);
  EXPECT_EQ(got.across, 5);
  EXPECT_THROW(bipartition(Vec{0, NAN, NAN, 0}, 2), Error);
}

// Three members at distances .2, .5 and .8: the mean over the square is 2 (.2 + .5 + .8) / 9 = 1/3.
TEST(DistanceSpread, IsTheLargestDistanceBeyondTheMeanOfTheSquare) {
  const Vec distances = {0, .2, .5, .2, 0, .8, .5, .8, 0};
  const DistanceSpread got = spread(distances, 3);
  EXPECT_EQ(got.largest, .8);
  EXPECT_NEAR(got.mean, 1.0 / 3, 1e-15);
  EXPECT_NEAR(got.excess(), .8 - 1.0 / 3, 1e-15);
  EXPECT_EQ(spread(Vec{0}, 1).excess(), 0);
  EXPECT_EQ(spread({}, 0).excess(), 0);
}

TEST(DistanceSpread, OfSomeMembers) {
  const Vec distances = {0, .2, .5, .2, 0, .8, .5, .8, 0};
  const std::vector<std::size_t> members = {0, 2};
  EXPECT_EQ(submatrix(distances, 3, members), (Vec{0, .5, .5, 0}));
}

}  // namespace
}  // namespace coterie::tiers_bipartition_test
