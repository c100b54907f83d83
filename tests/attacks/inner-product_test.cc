#include <gtest/gtest.h>

#include "coterie/attack.h"
#include "support/plugins.h"

namespace coterie::inner_product_test {
namespace {

const std::vector<Vec> kChanges = {{1, 0}, {3, -2}};  // their mean: 2, -1

TEST(InnerProduct, IsMinusTheMean) {
  EXPECT_EQ(make_plugin<Attack>("inner-product", "scale = 0.5")->agree(kChanges, {10, 2}), (Vec{-1, 0.5}));
}

TEST(InnerProduct, IsByDefaultTwiceWhatStopsTheMean) {
  // Eight honest clients on two liars: at 4 times the mean the sum is 0.
  EXPECT_EQ(make_plugin<Attack>("inner-product")->agree(kChanges, {10, 2}), (Vec{-16, 8}));
}

TEST(InnerProduct, RefusesAScaleThatTurnsNothing) {
  EXPECT_THROW(make_plugin<Attack>("inner-product", "scale = 0"), BadConfig);
}

}  // namespace
}  // namespace coterie::inner_product_test
