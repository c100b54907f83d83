#include "clustering/gap_parts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "math/cosine.h"

namespace coterie::gap_parts_test {
namespace {

using Labels = std::vector<std::uint32_t>;

Stream stream() { return Stream(1, {Purpose::server, 1, 0, 0}); }

GapParts found(const Vec& cosines, std::size_t n, double least = 1.5) {
  Stream draws = stream();
  return gap_parts(cosines, n, least, draws);
}

// So many vectors of the plane at each of these angles, in degrees, of different lengths.
Vec at_angles(const Vec& angles, std::size_t each, double scale = 1) {
  Vec vectors;
  for (const double degrees : angles) {
    for (std::size_t i = 0; i < each; ++i) {
      const double angle = degrees * std::numbers::pi / 180, length = scale * static_cast<double>(i + 1);
      vectors.push_back(length * std::cos(angle));
      vectors.push_back(length * std::sin(angle));
    }
  }
  return vectors;
}

// Cosines of two groups of four: a within, b across. The covariance has (1 + 3a - 4b) / 8 between the groups
// and (1 - a) / 8 in six other directions; the mean's squared length is (1 + 3a + 4b) / 8.
Vec two_groups(double a, double b) {
  Vec cosines;
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) cosines.push_back(i == j ? 1 : (i < 4) == (j < 4) ? a : b);
  }
  return cosines;
}

TEST(GapParts, ThreeDirectionsThatCancel) {
  const Vec vectors = at_angles({0, 120, 240}, 3);
  const GapParts got = found(cosine_similarities({vectors, 9, 2}), 9);
  EXPECT_EQ(got.count, 3u);
  EXPECT_EQ(got.labels, (Labels{0, 0, 0, 1, 1, 1, 2, 2, 2}));
  EXPECT_NEAR(got.together, 0, 1e-12);
  EXPECT_NEAR(got.apart, 1, 1e-12);
  EXPECT_GT(got.gap, 1e9);
}

TEST(GapParts, TheirFiguresAreThoseOfTheCovariance) {
  const GapParts got = found(two_groups(0.2, -0.1), 8);
  EXPECT_NEAR(got.gap, 2 / 0.8, 1e-12);
  EXPECT_NEAR(got.apart, 2.0 / 8, 1e-12);
  EXPECT_NEAR(got.together, 1.2 / 8, 1e-12);
  EXPECT_EQ(got.labels, (Labels{0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(found(two_groups(0.2, -0.1), 8, 2.49).count, 2u);
  EXPECT_EQ(found(two_groups(0.2, -0.1), 8, 2.51).count, 1u) << "the gap is too small";
}

TEST(GapParts, WhatPullsTogetherMoreThanApartIsOneGroup) {
  const Vec cosines = two_groups(0.9, 0.8);
  const GapParts got = found(cosines, 8);
  EXPECT_NEAR(got.gap, 0.5 / 0.1, 1e-9);
  EXPECT_NEAR(got.apart, 0.5 / 8, 1e-12);
  EXPECT_NEAR(got.together, 6.9 / 8, 1e-12);
  EXPECT_EQ(got.count, 1u);
  EXPECT_EQ(got.labels, Labels(8, 0));
}

TEST(GapParts, NoiseHasNoGroups) {
  Vec identity(81, 0.0);
  for (std::size_t i = 0; i < 9; ++i) identity[i * 10] = 1;
  const GapParts got = found(identity, 9);
  EXPECT_NEAR(got.gap, 1, 1e-9) << "all directions alike";
  EXPECT_EQ(got.count, 1u);
  EXPECT_EQ(found(Vec(81, 1.0), 9).count, 1u) << "all vectors alike";
}

// Twenty vectors of four numbers, as updates of a linear model of three columns are: noise, and two groups
// that pull opposite ways.
TEST(GapParts, InFewDimensionsNoiseHasNoGroups) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Stream draws(seed, {Purpose::server, 1, 0, 0});
    Vec noise, groups;
    for (int i = 0; i < 20; ++i) {
      for (int k = 0; k < 4; ++k) {
        const double one = draws.normal();
        noise.push_back(one);
        groups.push_back((i % 2 == 0 ? 1 : -1) * (k == 0 ? 3.0 : 1.0) + 0.3 * one);
      }
    }
    EXPECT_EQ(found(cosine_similarities({noise, 20, 4}), 20).count, 1u) << seed;
    const GapParts got = found(cosine_similarities({groups, 20, 4}), 20);
    EXPECT_EQ(got.count, 2u) << seed << ": gap " << got.gap;
    EXPECT_EQ(got.labels[0], got.labels[18]) << seed;
  }
}

TEST(GapParts, FiveAreTooFewToTell) {
  const Vec vectors = at_angles({0, 180}, 2);
  EXPECT_EQ(found(cosine_similarities({vectors, 4, 2}), 4).count, 1u);
  const Vec more = at_angles({0, 180}, 3);
  EXPECT_EQ(found(cosine_similarities({more, 6, 2}), 6).count, 2u);
}

TEST(GapParts, UnitsDoNotMatter) {
  for (const double scale : {1.0, 1000.0, 1e-6}) {
    const Vec vectors = at_angles({10, 130, 250}, 4, scale);
    EXPECT_EQ(found(cosine_similarities({vectors, 12, 2}), 12).labels,
              (Labels{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}));
    Vec products;  // inner products instead of cosines: every figure but the gap has their unit squared
    for (double value : two_groups(0.2, -0.1)) products.push_back(scale * scale * value);
    const GapParts by_products = found(products, 8);
    EXPECT_EQ(by_products.labels, (Labels{0, 0, 0, 0, 1, 1, 1, 1}));
    EXPECT_NEAR(by_products.gap, 2.5, 1e-9);
  }
}

TEST(KnownParts, AreAsManyAsIsSaid) {
  const Vec vectors = at_angles({0, 120, 240}, 3);
  Stream draws = stream();
  const GapParts three = known_parts(cosine_similarities({vectors, 9, 2}), 9, 3, draws);
  EXPECT_EQ(three.labels, (Labels{0, 0, 0, 1, 1, 1, 2, 2, 2}));
  // No gap is asked for, but that groups pull apart is.
  EXPECT_EQ(known_parts(two_groups(0.05, -0.05), 8, 2, draws).labels, (Labels{0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(known_parts(two_groups(0.9, 0.8), 8, 2, draws).count, 1u);
}

// Three along one axis, three along another, opposite ways so that nobody pulls together, and one along a
// third.
TEST(KnownParts, WhoIsAloneJoinsOthers) {
  Vec vectors;
  for (const Vec& one : {Vec{1, 0, 0}, Vec{1, 0, 0}, Vec{1, 0, 0}, Vec{-1, 0, 0}, Vec{-1, 0, 0},
                         Vec{-1, 0, 0}, Vec{0.1, 0, 1}}) {
    vectors.insert(vectors.end(), one.begin(), one.end());
  }
  Stream draws = stream();
  const GapParts got = known_parts(cosine_similarities({vectors, 7, 3}), 7, 3, draws);
  EXPECT_EQ(got.count, 2u);
  EXPECT_EQ(got.labels, (Labels{0, 0, 0, 1, 1, 1, 0}));
}

}  // namespace
}  // namespace coterie::gap_parts_test
