#include "clustering/groups.h"

#include <gtest/gtest.h>

namespace coterie::groups_test {
namespace {

TEST(GroupMeans, AreMeansAndSizes) {
  const Vec values = {1, 2, 10, 20, 3, 4};
  const std::vector<std::uint32_t> labels = {2, 0, 2};
  const GroupMeans groups = group_means({values, 3, 2}, labels);
  EXPECT_EQ(groups.sizes, (std::vector<std::size_t>{1, 0, 2}));
  EXPECT_EQ(groups.means, (Vec{10, 20, 0, 0, 2, 3}));
  EXPECT_EQ(groups.mean(2)[1], 3);
}

}  // namespace
}  // namespace coterie::groups_test
