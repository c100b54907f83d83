#include "clustering/choose_k.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "coterie/error.h"

namespace coterie::choose_k_test {
namespace {

using Labels = std::vector<std::uint32_t>;

Stream stream(std::uint32_t number) { return Stream(13, {Purpose::test, number, 0, 0}); }

// {0, 1} and {10}: 0 has a = 1, b = 10; 1 has a = 1, b = 9; 10 is alone.
TEST(ChooseK, SilhouetteOfThreePoints) {
  const Vec line = {0, 1, 10};
  EXPECT_NEAR(silhouette({line, 3, 1}, Labels{0, 0, 1}), (0.9 + 8.0 / 9) / 3, 1e-15);
  // {0, 10} and {1}: a = 10 and b = 1; a = 10 and b = 9.
  EXPECT_NEAR(silhouette({line, 3, 1}, Labels{0, 1, 0}), (-0.9 - 0.1) / 3, 1e-15);
}

// {0, 2}, {6, 8}, {20, 20}: b is to the nearest other group.
TEST(ChooseK, SilhouetteTakesTheNearestOtherGroup) {
  const Vec line = {0, 2, 6, 8, 20, 20};
  const double expected = ((7 - 2) / 7.0 + (5 - 2) / 5.0 + (5 - 2) / 5.0 + (7 - 2) / 7.0 + 1 + 1) / 6;
  EXPECT_NEAR(silhouette({line, 6, 1}, Labels{0, 0, 1, 1, 2, 2}), expected, 1e-15);
  EXPECT_NEAR(silhouette({line, 6, 1}, Labels{3, 3, 1, 1, 5, 5}), expected, 1e-15);
}

TEST(ChooseK, SilhouetteOfOneGroupOrEqualPointsIsZero) {
  const Vec line = {0, 1, 10};
  EXPECT_EQ(silhouette({line, 3, 1}, Labels{0, 0, 0}), 0);
  const Vec same = {1, 1, 1, 1};
  EXPECT_EQ(silhouette({same, 4, 1}, Labels{0, 0, 1, 1}), 0);
}

// Below the chord from 10 to .5: 2/3 - 1.5/9.5 at 2, 1/3 - .5/9.5 at 3.
TEST(ChooseK, TheElbowIsFarthestBelowTheChord) {
  EXPECT_EQ(elbow(Vec{10, 2, 1, 0.5}), 2u);
  EXPECT_EQ(elbow(Vec{10, 8, 1, 0.5}), 3u);
  EXPECT_EQ(elbow(Vec{10, 7, 4, 1}), 1u) << "a straight line has none";
  EXPECT_EQ(elbow(Vec{3, 3, 3}), 1u);
  EXPECT_EQ(elbow(Vec{0}), 1u);
}

TEST(ChooseK, WithAThresholdTheElbowIsTheFirstSmallGain) {
  const Vec objectives = {10, 2, 1, 0.5};
  EXPECT_EQ(elbow(objectives, 0.9), 1u);
  EXPECT_EQ(elbow(objectives, 0.2), 2u);
  EXPECT_EQ(elbow(objectives, 0.06), 3u);
  EXPECT_EQ(elbow(objectives, 0.01), 4u);
}

Vec four_groups() {
  Stream s = stream(1);
  Vec values(80 * 5);
  s.normals(values);
  for (std::size_t i = 0; i < 80; ++i) values[i * 5 + i % 4] += 12;
  return values;
}

TEST(ChooseK, FindsHowManyGroupsThereAre) {
  const Vec values = four_groups();
  for (const char* by : {"silhouette", "elbow"}) {
    ChooseKOptions options;
    options.by = by;
    Stream s = stream(2);
    const ChosenK found = choose_k({values, 80, 5}, options, s);
    EXPECT_EQ(found.k, 4u) << by;
    EXPECT_EQ(found.grouping.centres.size(), 4u * 5);
    EXPECT_EQ(found.objectives.size(), 10u);
    EXPECT_EQ(found.objectives[3], found.grouping.objective);
    for (std::size_t i = 0; i < 80; ++i) EXPECT_EQ(found.grouping.labels[i], found.grouping.labels[i % 4]);
  }
  ChooseKOptions options;
  options.by = "elbow";
  options.threshold = 0.05;
  Stream s = stream(3);
  EXPECT_EQ(choose_k({values, 80, 5}, options, s).k, 4u);
}

TEST(ChooseK, SilhouettesOfSeveralAreThoseOfEach) {
  const Vec line = {0, 2, 6, 8, 20, 20};
  std::vector<Grouping> groupings(3);
  groupings[0].labels = {0, 0, 1, 1, 2, 2};
  groupings[1].labels = {0, 0, 0, 0, 0, 0};
  groupings[2].labels = {4, 1, 1, 1, 4, 4};
  const Vec all = silhouettes({line, 6, 1}, groupings);
  ASSERT_EQ(all.size(), 3u);
  for (std::size_t g = 0; g < 3; ++g) EXPECT_EQ(all[g], silhouette({line, 6, 1}, groupings[g].labels)) << g;
}

TEST(ChooseK, NeverTriesMoreGroupsThanPoints) {
  const Vec line = {0, 1, 10};
  Stream s = stream(4);
  const ChosenK found = choose_k({line, 3, 1}, {}, s);
  EXPECT_EQ(found.silhouettes.size(), 3u);
  EXPECT_EQ(found.k, 2u);
  const Vec point = {5};
  EXPECT_EQ(choose_k({point, 1, 1}, {}, s).k, 1u);
}

TEST(ChooseK, RefusesWhatIsNotFinite) {
  const Vec line = {1, std::nan("")};
  Stream s = stream(5);
  EXPECT_THROW(choose_k({line, 2, 1}, {}, s), Error);
  EXPECT_THROW(silhouette({line, 2, 1}, Labels{0, 1}), Error);
}

}  // namespace
}  // namespace coterie::choose_k_test
