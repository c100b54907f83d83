#include <gtest/gtest.h>

#include "coterie/attack.h"
#include "support/plugins.h"

namespace coterie::sign_flip_test {
namespace {

TEST(SignFlip, TurnsTheChangeRound) {
  const auto attack = make_plugin<Attack>("sign-flip", "scale = 3");
  Stream stream(1, {});
  Vec change{1, -2, 0.5};
  attack->lie(change, stream);
  EXPECT_EQ(change, (Vec{-3, 6, -1.5}));
}

TEST(SignFlip, RefusesAScaleThatTurnsNothing) {
  EXPECT_THROW(make_plugin<Attack>("sign-flip", "scale = 0"), BadConfig);
  EXPECT_THROW(make_plugin<Attack>("sign-flip", "scale = -1"), BadConfig);
}

}  // namespace
}  // namespace coterie::sign_flip_test
