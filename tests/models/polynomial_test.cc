#include <gtest/gtest.h>

#include "models/bound_model.h"

namespace coterie::polynomial_test {
namespace {

// 4 (w-1)^3 + 3 (w-1)^4 + 1 below 1 and 8 (w-1)^2 + 1 from there on; and w^2.
const Vec kRows = {0, 1, 1, 0, 0, 4, 3, 1, 1, 1, 0, 8, 0, 0,  //
                   0, 0, 0, 0, 1, 0, 0, 9, 0, 0, 0, 0, 0, 0};
const Vec kTargets = {0, 0};

Batch<double> rows(std::size_t first, std::size_t count) {
  return {count,
          14,
          std::span(kRows).subspan(14 * first, 14 * count),
          std::span(kTargets).subspan(first, count),
          {}};
}

TEST(Polynomial, EvaluatesThePieceThatHolds) {
  auto model = bound_model("polynomial", "", regression(14));
  Vec loss(1), gradient(1);
  const std::vector<std::array<double, 3>> cases = {
      {0, 0, 0}, {-1, -32 + 48 + 1, 48 - 96}, {0.5, -0.5 + 0.1875 + 1, 1.5}, {1, 1, 0}, {1.5, 3, 8}};
  for (const auto& [w, value, slope] : cases) {
    model->losses(Vec{w}, rows(0, 1), loss);
    EXPECT_NEAR(loss[0], value, 1e-12) << w;
    EXPECT_NEAR(model->gradient(Vec{w}, rows(0, 1), gradient), value, 1e-12) << w;
    EXPECT_NEAR(gradient[0], slope, 1e-12) << w;
  }
}

TEST(Polynomial, ThePieceThatBeginsFirstAlsoHoldsBefore) {
  auto model = bound_model("polynomial", "", regression(14));
  Vec loss(1);
  model->losses(Vec{-3.0}, rows(1, 1), loss);
  EXPECT_EQ(loss[0], 9);
}

TEST(Polynomial, ObjectivesAreMeansOfSamples) {
  auto model = bound_model("polynomial", "", regression(14));
  Vec gradient(1);
  EXPECT_NEAR(model->gradient(Vec{1.5}, rows(0, 2), gradient), (3 + 2.25) / 2, 1e-12);
  EXPECT_NEAR(gradient[0], (8 + 3) / 2.0, 1e-12);
}

TEST(Polynomial, PredictsItsVariable) {
  auto model = bound_model("polynomial", "", regression(14));
  Vec out(2);
  model->predict(Vec{1.25}, rows(0, 2), out);
  EXPECT_EQ(out, (Vec{1.25, 1.25}));
}

TEST(Polynomial, RefusesClasses) {
  EXPECT_THROW(bound_model("polynomial", "", classification(14, 3)), Error);
}

}  // namespace
}  // namespace coterie::polynomial_test
