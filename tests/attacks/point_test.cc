#include <gtest/gtest.h>

#include "coterie/attack.h"
#include "support/plugins.h"

namespace coterie::point_test {
namespace {

TEST(PointAttack, SendsWhatIsGivenAndZerosAfterThat) {
  const auto attack = make_plugin<Attack>("point", "place = [3, -1]");
  Stream stream(1, {});
  Vec change{1, -2, 0.5};
  attack->lie(change, stream);
  EXPECT_EQ(change, (Vec{3, -1, 0}));
}

TEST(PointAttack, CanBeMovedAlongADirection) {
  const auto attack = make_plugin<Attack>("point", "place = [1]\ndirection = [0, 3, 4]\ndistance = 10");
  Stream stream(1, {});
  Vec change{7, 7, 7};
  attack->lie(change, stream);
  EXPECT_EQ(change, (Vec{1, 6, 8}));
  EXPECT_THROW(make_plugin<Attack>("point", "distance = 1"), BadConfig);
}

TEST(PointAttack, ByDefaultLiarsDoNothing) {
  const auto attack = make_plugin<Attack>("point", "");
  Stream stream(1, {});
  Vec change{1, -2};
  attack->lie(change, stream);
  EXPECT_EQ(change, (Vec{0, 0}));
}

TEST(PointAttack, APlaceThatDoesNotFitIsAnError) {
  const auto attack = make_plugin<Attack>("point", "place = [3, -1]");
  Stream stream(1, {});
  Vec change{1};
  EXPECT_THROW(attack->lie(change, stream), Error);
}

}  // namespace
}  // namespace coterie::point_test
