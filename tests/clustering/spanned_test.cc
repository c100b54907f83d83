#include "clustering/spanned.h"

#include <gtest/gtest.h>

#include <cmath>

#include "coterie/random.h"
#include "math/kernels.h"

namespace coterie::spanned_test {
namespace {

Vec cloud(std::size_t count, std::size_t width) {
  Stream stream(17, {Purpose::test});
  Vec values(count * width);
  stream.normals(values);
  return values;
}

TEST(Spanned, KeepsDistancesInFewerCoordinates) {
  Vec values = cloud(6, 500);
  for (double& value : values) value += 1000;
  const Points points{values, 6, 500};
  const Spanned spanned(points);
  const Points narrow = spanned.points();
  EXPECT_EQ(narrow.count, 6u);
  EXPECT_LE(narrow.width, 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_NEAR(squared_distance(narrow[i], narrow[j]), squared_distance(points[i], points[j]), 1e-8);
    }
  }
}

TEST(Spanned, LeadsBackToThePoints) {
  const Vec values = cloud(5, 40);
  const Spanned spanned({values, 5, 40});
  const Points narrow = spanned.points();
  const Vec again = spanned.back(Vec(narrow.values.begin(), narrow.values.end()));
  ASSERT_EQ(again.size(), values.size());
  for (std::size_t c = 0; c < values.size(); ++c) EXPECT_NEAR(again[c], values[c], 1e-13);
}

TEST(Spanned, EqualPointsStayEqual) {
  Vec values = cloud(4, 9);
  for (std::size_t c = 0; c < 9; ++c) values[27 + c] = values[c];
  const Spanned spanned({values, 4, 9});
  const Points narrow = spanned.points();
  for (std::size_t c = 0; c < narrow.width; ++c) EXPECT_EQ(narrow[0][c], narrow[3][c]);
  const Vec same(2 * 5, 3.5);
  const Spanned one({same, 2, 5});
  EXPECT_EQ(one.points().width, 1u);
  EXPECT_EQ(one.back({0, 0}), same);
}

// Two pairs 2000 apart whose points differ by a millionth of a millionth of that.
TEST(Spanned, KeepsSmallDifferencesBesideLargeOnes) {
  Vec values(4 * 6, 0.0);
  values[0] = values[6] = 1000;
  values[12] = values[18] = -1000;
  values[7] = std::ldexp(1, -30);
  values[20] = std::ldexp(1, -30);
  const Spanned spanned({values, 4, 6});
  const Points narrow = spanned.points();
  for (const std::size_t i : {0u, 2u}) {
    EXPECT_NEAR(std::sqrt(squared_distance(narrow[i], narrow[i + 1])), std::ldexp(1, -30), 2e-12);
  }
}

TEST(Spanned, NarrowPointsStayAsTheyAre) {
  const Vec values = cloud(5, 5);
  const Spanned spanned({values, 5, 5});
  EXPECT_EQ(spanned.points().values.data(), values.data());
  EXPECT_EQ(spanned.back(values), values);
}

}  // namespace
}  // namespace coterie::spanned_test
