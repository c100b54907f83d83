#include <gtest/gtest.h>

#include <cmath>

#include "models/bound_model.h"

namespace coterie::logistic_test {
namespace {

// Scores log 3 and -log 3: probabilities of class 1 are 3/4 and 1/4.
const double kLog3 = std::log(3.0);
const std::vector<double> kX = {1, 0, 0, -1};
const std::vector<double> kY = {1, 1};
const Batch<double> kBatch{2, 2, kX, kY, {}};

TEST(Logistic, LossesAndPredictionsAsByHand) {
  const auto model = bound_model("logistic", "", classification(2, 2));
  const Vec w = {kLog3, kLog3};
  Vec losses(2), out(4), gradient(2);
  model->losses(w, kBatch, losses);
  EXPECT_NEAR(losses[0], std::log(4.0 / 3), 1e-15);
  EXPECT_NEAR(losses[1], std::log(4.0), 1e-15);
  model->predict(w, kBatch, out);
  const Vec expected = {0.25, 0.75, 0.75, 0.25};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(out[i], expected[i], 1e-15);
  // Slopes p - 1: -1/4 on (1, 0) and -3/4 on (0, -1), halved.
  EXPECT_NEAR(model->gradient(w, kBatch, gradient), 0.5 * std::log(16.0 / 3), 1e-15);
  EXPECT_NEAR(gradient[0], -0.125, 1e-15);
  EXPECT_NEAR(gradient[1], 0.375, 1e-15);
}

TEST(Logistic, IsStableFarFromTheBoundary) {
  const auto model = bound_model("logistic", "", classification(2, 2));
  Vec losses(2), gradient(2);
  model->losses(Vec{1000, 1000}, kBatch, losses);
  EXPECT_EQ(losses, (Vec{0, 1000}));
  EXPECT_EQ(model->gradient(Vec{1000, 1000}, kBatch, gradient), 500);
  EXPECT_EQ(gradient, (Vec{0, 0.5}));
}

TEST(Logistic, OneVectorOfWeights) {
  EXPECT_EQ(bound_model("logistic", "", classification(7, 2))->size(), 7u);
  EXPECT_EQ(bound_model("logistic", "intercept = true", classification(7, 2))->size(), 8u);
}

TEST(Logistic, RefusesNumbersAndOtherThanTwoClasses) {
  EXPECT_THROW(bound_model("logistic", "", regression(2)), Error);
  EXPECT_THROW(bound_model("logistic", "", classification(2, 3)), Error);
  EXPECT_THROW(bound_model("logistic", "", classification(2, 1)), Error);
}

}  // namespace
}  // namespace coterie::logistic_test
