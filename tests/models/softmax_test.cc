#include <gtest/gtest.h>

#include <cmath>

#include "models/bound_model.h"

namespace coterie::softmax_test {
namespace {

// One feature, three classes: scores x w + b = (0, log 2, log 5) at x = 1, so probabilities 1/8, 2/8, 5/8.
TEST(Softmax, LossesAndGradientAsByHand) {
  const auto model = bound_model("softmax", "", classification(1, 3));
  ASSERT_EQ(model->size(), 6u);
  const Vec w = {1, std::log(2.0), 0, -1, 0, std::log(5.0)};
  const std::vector<double> x = {1}, y = {2};
  const Batch<double> batch{1, 1, x, y, {}};
  Vec losses(1), gradient(6), out(3);
  model->losses(w, batch, losses);
  EXPECT_NEAR(losses[0], std::log(1.6), 1e-15);
  model->gradient(w, batch, gradient);
  const Vec expected = {0.125, 0.25, -0.375, 0.125, 0.25, -0.375};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(gradient[i], expected[i], 1e-15);
  model->predict(w, batch, out);
  EXPECT_NEAR(out[0], 0.125, 1e-15);
  EXPECT_NEAR(out[2], 0.625, 1e-15);
}

TEST(Softmax, StartsAsATorchLayer) {
  Stream stream(4, {Purpose::init});
  Vec w;
  bound_model("softmax", "", classification(100, 10))->init(w, stream);
  ASSERT_EQ(w.size(), 1010u);
  const auto [low, high] = std::minmax_element(w.begin(), w.end());
  EXPECT_GE(*low, -0.1);
  EXPECT_LT(*low, -0.099);
  EXPECT_LE(*high, 0.1);
  EXPECT_GT(*high, 0.099);
}

TEST(Softmax, RefusesNumbersAndASingleClass) {
  EXPECT_THROW(bound_model("softmax", "", regression(2)), Error);
  EXPECT_THROW(bound_model("softmax", "", classification(2, 1)), Error);
}

}  // namespace
}  // namespace coterie::softmax_test
