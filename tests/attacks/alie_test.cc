#include <gtest/gtest.h>

#include "coterie/attack.h"
#include "support/plugins.h"

namespace coterie::alie_test {
namespace {

const std::vector<Vec> kChanges = {{1, 5}, {3, 5}};  // means 2 and 5, deviations 1 and 0

TEST(Alie, IsSoManyDeviationsBelowTheMean) {
  EXPECT_EQ(make_plugin<Attack>("alie", "z = 1.5")->agree(kChanges, {10, 2}), (Vec{0.5, 5}));
}

// 12 liars of 50 need 26 - 12 = 14 honest clients farther out, so 24 of 38 nearer: the quantile 0.631579 of
// the normal distribution is 0.336038140.
TEST(Alie, HidesByDefaultAsThePaperSays) {
  const Vec lie = make_plugin<Attack>("alie")->agree(kChanges, {50, 12});
  EXPECT_NEAR(lie[0], 2 - 0.336038140, 1e-8);
  EXPECT_EQ(lie[1], 5);
}

TEST(Alie, AMajorityOfLiarsStaysFinite) {
  // 8 of 10: nobody need be farther out, and z is that of the tail of 0.001.
  EXPECT_NEAR(make_plugin<Attack>("alie")->agree(kChanges, {10, 8})[0], 2 - 3.0902323, 1e-6);
}

TEST(Alie, OneLiarAloneStaysHonest) {
  EXPECT_EQ(make_plugin<Attack>("alie", "z = 3")->agree(std::vector<Vec>{{1, 2}}, {10, 1}), (Vec{1, 2}));
}

TEST(Alie, RefusesANegativeNumberOfDeviations) {
  EXPECT_THROW(make_plugin<Attack>("alie", "z = -1"), BadConfig);
}

}  // namespace
}  // namespace coterie::alie_test
