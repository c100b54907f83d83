#include <gtest/gtest.h>

#include <cmath>

#include "coterie/attack.h"
#include "support/plugins.h"

namespace coterie::nan_test {
namespace {

TEST(NanAttack, LeavesNoNumber) {
  const auto attack = make_plugin<Attack>("nan");
  Stream stream(1, {});
  Vec change{1, -2};
  attack->lie(change, stream);
  ASSERT_EQ(change.size(), 2u);
  EXPECT_TRUE(std::isnan(change[0]));
  EXPECT_TRUE(std::isnan(change[1]));
}

}  // namespace
}  // namespace coterie::nan_test
