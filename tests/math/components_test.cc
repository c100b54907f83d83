#include "math/components.h"

#include <gtest/gtest.h>

namespace coterie::components_test {
namespace {

TEST(Components, NumbersGroupsInTheOrderOfFirstItems) {
  Components components(6);
  EXPECT_TRUE(components.join(5, 1));
  EXPECT_TRUE(components.join(4, 2));
  EXPECT_TRUE(components.join(2, 1));
  EXPECT_FALSE(components.join(4, 5));
  EXPECT_EQ(components.groups(), 3u);
  EXPECT_EQ(components.find(4), 1u);
  EXPECT_EQ(components.labels(), (std::vector<std::uint32_t>{0, 1, 1, 2, 1, 1}));
}

}  // namespace
}  // namespace coterie::components_test
