#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "algorithms/tiers/merging.h"
#include "coterie/data.h"

namespace coterie::tiers_merging_test {
namespace {

// Unit vectors at these angles, in degrees.
Vec at_angles(const Vec& degrees) {
  Vec values;
  for (double d : degrees) {
    values.push_back(std::cos(d * std::numbers::pi / 180));
    values.push_back(std::sin(d * std::numbers::pi / 180));
  }
  return values;
}

// 0, 100, 10, 30: cos 10 = .985 joins 0 and 2, cos 20 = .940 joins 3 to them, cos 30 = .866 is below tau but
// would join the same; 100 is alone.
TEST(Merging, JoinsTheMostAlikeFirstAndInChains) {
  const Vec values = at_angles({0, 100, 10, 30});
  const std::vector<std::size_t> sizes = {1, 9, 3, 4};
  const Merges merges = merge_alike({values, 4, 2}, sizes, 0.9);
  const std::vector<Merge>& got = merges.all;
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[0].kept, 0u);
  EXPECT_EQ(got[0].gone, 2u);
  EXPECT_EQ(got[0].model_of, 2u);  // the larger
  EXPECT_NEAR(got[0].similarity, std::cos(10 * std::numbers::pi / 180), 1e-15);
  EXPECT_EQ(got[1].kept, 0u);
  EXPECT_EQ(got[1].gone, 3u);
  EXPECT_EQ(got[1].model_of, 0u);  // four against four: the number that stays
  EXPECT_NEAR(got[1].similarity, std::cos(20 * std::numbers::pi / 180), 1e-15);
  ASSERT_TRUE(merges.apart);
  EXPECT_NEAR(*merges.apart, std::cos(70 * std::numbers::pi / 180), 1e-15) << "100 and 30";
}

TEST(Merging, TauIsIncluded) {
  const Vec values = {1, 0, 1, 0, 0, 1};
  const std::vector<std::size_t> sizes = {1, 1, 1};
  EXPECT_EQ(merge_alike({values, 3, 2}, sizes, 1).all.size(), 1u);
  EXPECT_EQ(merge_alike({values, 3, 2}, sizes, 1.5).all.size(), 0u);
  EXPECT_EQ(merge_alike({values, 3, 2}, sizes, 0).all.size(), 2u);
  EXPECT_EQ(merge_alike({values, 3, 2}, sizes, -1).all.size(), 2u);
  EXPECT_FALSE(merge_alike({values, 3, 2}, sizes, -1).apart) << "one cluster is left";
}

}  // namespace
}  // namespace coterie::tiers_merging_test
