#include <gtest/gtest.h>

#include "models/bound_model.h"

namespace coterie::mean_test {
namespace {

TEST(Mean, TheGradientIsThePointLessTheMean) {
  auto model = bound_model("mean", "", regression(2));
  const Vec x = {1, 2, 3, 6}, y = {0, 0};
  Vec gradient(2), losses(2);
  const Batch<double> batch{2, 2, x, y, {}};
  EXPECT_EQ(model->gradient(Vec{1, 1}, batch, gradient), (0.5 + 14.5) / 2);
  EXPECT_EQ(gradient, (Vec{-1, -3}));
  model->losses(Vec{1, 1}, batch, losses);
  EXPECT_EQ(losses, (Vec{0.5, 14.5}));
}

TEST(Mean, TakesOneClassButNotTwo) {
  EXPECT_EQ(bound_model("mean", "", classification(3, 1))->size(), 3u);
  EXPECT_THROW(bound_model("mean", "", classification(3, 2)), Error);
}

}  // namespace
}  // namespace coterie::mean_test
