#include <gtest/gtest.h>

#include <cmath>

#include "models/bound_model.h"

namespace coterie::linear_test {
namespace {

// Rows (1, 2) -> 3 and (0, 1) -> -1 at w = (1, 1): predictions 3 and 1, residuals 0 and 2.
const std::vector<double> kX = {1, 2, 0, 1};
const std::vector<double> kY = {3, -1};
const Batch<double> kBatch{2, 2, kX, kY, {}};

TEST(Linear, HalfTheSquaredResidual) {
  const auto model = bound_model("linear", "", regression(2));
  const Vec w = {1, 1};
  Vec losses(2), out(2), gradient(2);
  model->losses(w, kBatch, losses);
  EXPECT_EQ(losses, (Vec{0, 2}));
  model->predict(w, kBatch, out);
  EXPECT_EQ(out, (Vec{3, 1}));
  EXPECT_EQ(model->gradient(w, kBatch, gradient), 1);  // (0 + 2) / 2
  EXPECT_EQ(gradient, (Vec{0, 1}));                    // (0 (1, 2) + 2 (0, 1)) / 2
}

TEST(Linear, FactorOneIsTheMeanSquaredError) {
  const auto model = bound_model("linear", "factor = 1", regression(2));
  Vec gradient(2);
  EXPECT_EQ(model->gradient(Vec{1, 1}, kBatch, gradient), 2);
  EXPECT_EQ(gradient, (Vec{0, 2}));
}

TEST(Linear, WeightsAndL2AsByHand) {
  const auto model = bound_model("linear", "l2 = 0.5", regression(2));
  const Vec weights = {7, 3};
  Vec gradient(2);
  Batch<double> batch = kBatch;
  batch.weights = weights;
  EXPECT_EQ(model->gradient(Vec{1, 1}, batch, gradient), 3.5);  // (0 + 3 * 2) / 2 + 0.5 / 2 * 2
  EXPECT_EQ(gradient, (Vec{0.5, 3.5}));                         // 3 * 2 (0, 1) / 2 + 0.5 (1, 1)
}

TEST(Linear, TheInterceptIsTheLastParameter) {
  const auto model = bound_model("linear", "intercept = true", regression(2));
  ASSERT_EQ(model->size(), 3u);
  EXPECT_EQ(model->layers()[1].name, "bias");
  Vec gradient(3);
  EXPECT_EQ(model->gradient(Vec{1, 1, 10}, kBatch, gradient), 61);  // (10^2 + 12^2) / 4
  EXPECT_EQ(gradient, (Vec{5, 16, 11}));                            // (10 (1, 2, 1) + 12 (0, 1, 1)) / 2
}

TEST(Linear, StartsAsAsked) {
  const std::size_t d = 10000;
  const auto start = [&](const std::string& toml) {
    Stream stream(4, {Purpose::init});
    Vec w;
    bound_model("linear", toml, regression(d))->init(w, stream);
    return w;
  };
  const auto mean_square = [&](const Vec& w) {
    double sum = 0;
    for (const double value : w) sum += value * value;
    return sum / d;
  };
  EXPECT_EQ(start("init = 'zero'"), Vec(d));
  EXPECT_NEAR(mean_square(start("")) * d, 1, 0.05);  // normal with deviation 1/sqrt(d)
  EXPECT_NEAR(mean_square(start("init = 'normal'\ninit_scale = 3")), 9, 0.5);
  EXPECT_NEAR(mean_square(start("init = 'uniform'\ninit_scale = 3")), 3, 0.1);
  int ones = 0;
  for (const double value : start("init = 'bernoulli'")) {
    EXPECT_TRUE(value == 0 || value == 1);
    ones += value == 1;
  }
  EXPECT_NEAR(ones, 5000, 250);
  for (const double value : start("init = 'bernoulli'\ninit_scale = 0.1"))
    EXPECT_TRUE(value == 0 || value == 0.1);
}

TEST(Linear, CountsItsFlops) {
  const auto model = bound_model("linear", "", regression(100));
  EXPECT_EQ(model->forward_flops(), 200);
  EXPECT_EQ(model->gradient_flops(), 400);
  const auto waves = bound_model("linear", "features = 'fourier'\ncount = 30", regression(100));
  EXPECT_EQ(waves->forward_flops(), 6000 + 60);
}

TEST(Linear, RefusesClasses) {
  try {
    bound_model("linear", "", classification(2, 10));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "model.kind = \"linear\" predicts a number, but the samples have 10 classes; use "
                 "\"softmax\" or \"mlp\"");
  }
}

}  // namespace
}  // namespace coterie::linear_test
