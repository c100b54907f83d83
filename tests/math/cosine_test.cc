#include "math/cosine.h"

#include <gtest/gtest.h>

#include <cmath>

#include "coterie/random.h"

namespace coterie::cosine_test {
namespace {

// (1, 0), (3, 3), (-2, 0), (0, 0): angles 45 and 180 degrees, and none.
TEST(Cosine, OfAnglesByHand) {
  const Vec values = {1, 0, 3, 3, -2, 0, 0, 0};
  const Vec got = cosine_similarities({values, 4, 2});
  const double h = std::sqrt(0.5);
  const Vec want = {1, h, -1, 0, h, 1, -h, 0, -1, -h, 1, 0, 0, 0, 0, 1};
  for (std::size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-15) << i;
  const Vec distances = cosine_distances({values, 4, 2});
  for (std::size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(distances[i], 1 - want[i], 1e-15) << i;
}

TEST(Cosine, OfVectorsOfZeros) {
  const Vec zero = {0, 0}, other = {1, 2};
  EXPECT_EQ(cosine_similarity(zero, other), 0);
  EXPECT_EQ(cosine_similarity(zero, zero), 1);
  EXPECT_EQ(cosine_distances({Vec(4, 0.0), 2, 2}), Vec(4, 0.0));
}

TEST(Cosine, IsSymmetricToTheBitAndNeverBeyondOne) {
  const std::size_t count = 23, width = 301;
  Vec values(count * width);
  Stream(5, {Purpose::test, 0, 0, 0}).normals(values);
  for (std::size_t j = 0; j < width; ++j) values[width + j] = 3 * values[j];  // the same direction
  const Points points{values, count, width};
  const Vec got = cosine_similarities(points);
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_EQ(got[i * count + i], 1);
    for (std::size_t j = 0; j < count; ++j) {
      EXPECT_EQ(got[i * count + j], got[j * count + i]);
      EXPECT_LE(std::fabs(got[i * count + j]), 1);
      EXPECT_NEAR(got[i * count + j], cosine_similarity(points[i], points[j]), 1e-14);
    }
  }
  EXPECT_NEAR(got[1], 1, 1e-15);
}

}  // namespace
}  // namespace coterie::cosine_test
