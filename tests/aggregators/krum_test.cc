#include <gtest/gtest.h>

#include "support/on_a_line.h"

namespace coterie::krum_test {
namespace {

// One liar of five: two neighbours count. 1 scores 1 + 1, 2 scores 1 + 2.25, the others more.
TEST(KrumRule, TakesTheVectorWithOthersNear) {
  EXPECT_EQ(on_a_line("krum", "", {50, 3.5, 2, 1, 0}), 1);
  EXPECT_EQ(on_a_line("krum", "", {0, 1, 2, 3.5, 50}, {1, 1, 1, 1, 1000}), 1) << "whatever the weights";
}

// Seven vectors. With liars = 0.4, three are assumed and two neighbours count: the three that are equal win,
// as n >= 2 f + 3 warns. With 0.2 it is two, and three neighbours: each of the equals has one far off.
TEST(KrumRule, AssumesAShareOfLiars) {
  const Vec line = {0, 1, 2, 4, 1e6, 1e6, 1e6};
  EXPECT_EQ(on_a_line("krum", "liars = 0.4", line), 1e6);
  EXPECT_EQ(on_a_line("krum", "liars = 0.2", line), 2) << "1 + 4 + 4";
  EXPECT_THROW(make_plugin<Aggregator>("krum", "liars = 0.5"), BadConfig);
}

TEST(KrumRule, WorksOnVeryFew) {
  for (const char* liars : {"liars = 0.0", "liars = 0.2", "liars = 0.49"}) {
    EXPECT_EQ(on_a_line("krum", liars, {4}), 4);
    EXPECT_EQ(on_a_line("krum", liars, {4, 9}), 4);
    EXPECT_EQ(on_a_line("krum", liars, {4, 9, 10}), 9);
  }
}

}  // namespace
}  // namespace coterie::krum_test
