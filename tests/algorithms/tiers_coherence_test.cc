#include <gtest/gtest.h>

#include <cmath>

#include "algorithms/tiers/coherence.h"

namespace coterie::tiers_coherence_test {
namespace {

using Labels = std::vector<std::uint32_t>;

// Two pairs of parallel updates at a right angle: blocks of ones, whose eigenvalues are 2, 2, 0, 0. With
// [[1, c], [c, 1]] they are 1 + c and 1 - c.
TEST(Coherence, IsTheLargestSingularValueOverTheCount) {
  EXPECT_NEAR(coherence(Vec{1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1}, 4), 0.5, 1e-14);
  EXPECT_NEAR(coherence(Vec{1, 0.6, 0.6, 1}, 2), 0.8, 1e-14);
  EXPECT_NEAR(coherence(Vec{1, -1, -1, 1}, 2), 1, 1e-14);  // opposite updates lie along one direction
  EXPECT_NEAR(coherence(Vec(9, 1.0), 3), 1, 1e-14);
  EXPECT_NEAR(coherence(Vec{1}, 1), 1, 1e-14);
}

// The constants of HCFL's experiments: eps1 = 4.
TEST(Coherence, BarRisesFromZeroToOne) {
  for (double alpha0 : {0.85, 0.98}) {
    const double eps2 = std::log(1 - alpha0) / (1 - std::log(4.0));
    EXPECT_EQ(coherence_bar(0, alpha0, 4), 0);
    for (std::uint32_t t : {1u, 10u, 100u}) {
      EXPECT_NEAR(coherence_bar(t, alpha0, 4), 1 - std::pow(std::exp(1.0) / 4, t / eps2), 1e-14);
    }
    EXPECT_GT(coherence_bar(2000, alpha0, 4), 0.999999);
  }
  EXPECT_NEAR(coherence_bar(24, 0.85, 4), 0.85, 2e-3);
  EXPECT_NEAR(coherence_bar(103, 0.98, 4), 0.98, 1e-3);
}

// Members 0, 2, 3 are alike (0.9), 1 and 4 are alike (0.9), and the two kinds hardly (0.1).
TEST(Coherence, PartsAreThoseOfTheLeadingColumns) {
  const Labels kind = {0, 1, 0, 0, 1};
  Vec similarities;
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 5; ++j) {
      similarities.push_back(i == j ? 1 : kind[i] == kind[j] ? 0.9 : 0.1);
    }
  }
  Stream stream(1, {Purpose::test, 0, 0, 0});
  EXPECT_EQ(coherent_parts(similarities, 5, stream), kind);
}

// [[1, c], [c, 1]]: the leading vectors are (1, 1) and (1, -1) over sqrt 2, so the members are (h, h) and
// (h, -h): they are points by entry, not by vector.
TEST(Coherence, PlaneHasAPointForEachMember) {
  const Vec plane = leading_plane(Vec{1, 0.5, 0.5, 1}, 2);
  const double h = std::sqrt(0.5);
  EXPECT_NEAR(plane[0], h, 1e-14);
  EXPECT_NEAR(plane[2], h, 1e-14);
  EXPECT_NEAR(std::fabs(plane[1]), h, 1e-14);
  EXPECT_NEAR(plane[3], -plane[1], 1e-14);
}

}  // namespace
}  // namespace coterie::tiers_coherence_test
