#include <gtest/gtest.h>

#include "coterie/attack.h"
#include "support/plugins.h"

namespace coterie::huge_test {
namespace {

TEST(Huge, IsTheGivenValueEverywhere) {
  Stream stream(1, {});
  Vec change{1, -2};
  make_plugin<Attack>("huge", "value = -1e6")->lie(change, stream);
  EXPECT_EQ(change, (Vec{-1e6, -1e6}));
  make_plugin<Attack>("huge")->lie(change, stream);
  EXPECT_EQ(change, (Vec{1000, 1000})) << "within aggregate.limit";
}

}  // namespace
}  // namespace coterie::huge_test
