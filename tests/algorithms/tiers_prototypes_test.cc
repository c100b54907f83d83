#include <gtest/gtest.h>

#include <cmath>

#include "algorithms/tiers/prototypes.h"

namespace coterie::tiers_prototypes_test {
namespace {

// Classes 0, 0 and 2 of three; features (1, 0), (3, 0) and (0, 4).
TEST(Prototypes, AreMeansByClassAndOverAll) {
  const Prototypes got = prototypes(Vec{1, 0, 3, 0, 0, 4}, Vec{0, 0, 2}, 3);
  EXPECT_EQ(got.counts, (Vec{2, 0, 1}));
  const Vec want = {2, 0, 0, 0, 0, 4, 4.0 / 3, 4.0 / 3};
  for (std::size_t i = 0; i < want.size(); ++i) EXPECT_DOUBLE_EQ(got.means[i], want[i]) << i;
}

// Client a: class 0 at (1, 0), class 1 at (0, 1); b: class 0 at (0, 2), class 1 at (3, 0): the same features
// under swapped labels. c: a's class 0 alone. d: class 2 alone.
class PrototypeDistance : public ::testing::Test {
 protected:
  const Prototypes a = prototypes(Vec{1, 0, 0, 1}, Vec{0, 1}, 3);
  const Prototypes b = prototypes(Vec{0, 2, 3, 0}, Vec{0, 1}, 3);
  const Prototypes c = prototypes(Vec{1, 0}, Vec{0}, 3);
  const Prototypes d = prototypes(Vec{5, 0}, Vec{2}, 3);
  const double overall_ab = 1 - (0.5 * 1.5 + 0.5 * 1) / std::sqrt(0.5) / std::sqrt(1.5 * 1.5 + 1);
};

TEST_F(PrototypeDistance, OfConceptsIsTheLargestOverSharedClasses) {
  EXPECT_NEAR(prototype_distance(a, b, {}), 1, 1e-15);
  EXPECT_NEAR(prototype_distance(a, c, {}), 0, 1e-15);  // class 1 is a's alone
  EXPECT_NEAR(prototype_distance(b, c, {}), 1, 1e-15);
}

TEST_F(PrototypeDistance, OfAnyShiftCountsTheOverallMeanToo) {
  // a's overall mean (.5, .5) is at 45 degrees from c's.
  EXPECT_NEAR(prototype_distance(a, c, {.overall = true}), 1 - std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(prototype_distance(a, b, {.overall = true}), 1, 1e-15);
}

TEST_F(PrototypeDistance, OfClientsWithoutACommonClass) {
  EXPECT_EQ(prototype_distance(a, d, {}), 0);
  EXPECT_EQ(prototype_distance(a, d, {.average = true}), 0);
  EXPECT_NEAR(prototype_distance(a, d, {.overall = true}), 1 - std::sqrt(0.5), 1e-15);
}

TEST_F(PrototypeDistance, OnAverageInsteadOfTheLargest) {
  const Prototypes e = prototypes(Vec{1, 0, 1, 0}, Vec{0, 1}, 3);  // a, but for class 1
  EXPECT_NEAR(prototype_distance(a, e, {.average = true}), 0.5, 1e-15);
  EXPECT_NEAR(prototype_distance(a, b, {.overall = true, .average = true}), (1 + 1 + overall_ab) / 3, 1e-15);
}

// Class 0 has two samples at both, at right angles; class 1 one at f.
TEST_F(PrototypeDistance, LeavesOutClassesOfTooFewSamples) {
  const Prototypes e = prototypes(Vec{1, 0, 1, 0, 0, 1, 0, 1}, Vec{0, 0, 1, 1}, 3);
  const Prototypes f = prototypes(Vec{0, 1, 0, 1, 1, 1}, Vec{0, 0, 1}, 3);
  EXPECT_NEAR(prototype_distance(e, f, {.average = true}), (1 + 1 - std::sqrt(0.5)) / 2, 1e-15);
  EXPECT_NEAR(prototype_distance(e, f, {.average = true, .least = 2}), 1, 1e-15);
  EXPECT_EQ(prototype_distance(e, f, {.least = 3}), 0) << "no class is left";
  EXPECT_GT(prototype_distance(e, f, {.overall = true, .least = 3}), 0) << "all samples still count";
}

TEST_F(PrototypeDistance, OfAllPairsWithWeights) {
  const std::vector<Prototypes> clients = {a, b, c};
  Vec matrix = prototype_distances(clients, {});
  const Vec plain = {0, 1, 0, 1, 0, 1, 0, 1, 0};
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(matrix[i], plain[i], 1e-15);
  weigh_pairs(matrix, Vec{0.5, 0.8, 1});
  const Vec weighted = {0, .4, 0, .4, 0, .8, 0, .8, 0};
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(matrix[i], weighted[i], 1e-15);
}

}  // namespace
}  // namespace coterie::tiers_prototypes_test
