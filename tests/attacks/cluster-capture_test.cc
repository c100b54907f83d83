#include <gtest/gtest.h>

#include "coterie/attack.h"
#include "support/plugins.h"

namespace coterie::cluster_capture_test {
namespace {

std::optional<std::uint32_t> captured(const std::vector<std::size_t>& sizes) {
  return make_plugin<Attack>("cluster-capture")->vote(sizes);
}

TEST(ClusterCapture, TakesTheSmallestClusterThatHasMembers) {
  EXPECT_EQ(captured({5, 3, 4}), 1u);
  EXPECT_EQ(captured({5, 0, 4}), 2u) << "an empty one is nobody's";
  EXPECT_EQ(captured({5, 2, 2}), 1u) << "the first of equals";
  EXPECT_EQ(captured({0, 7}), 1u);
}

}  // namespace
}  // namespace coterie::cluster_capture_test
