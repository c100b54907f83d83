#include <gtest/gtest.h>

#include <cmath>

#include "coterie/methods/erm.h"
#include "support/plugins.h"

namespace coterie::erm_sgd_test {
namespace {

// Linear regression with loss (x w - y)^2 / 2.
struct Rows {
  Rows(std::size_t width, Vec x, Vec y, const std::string& toml = "")
      : model(make_plugin<Model>("linear", toml)), x(std::move(x)), y(std::move(y)) {
    Shape shape;
    shape.task = Task::regression;
    shape.width = width;
    model->bind(shape, 1);
    rows = {this->y.size(), width, this->x, this->y, {}};
  }
  Erm solve(const ErmOptions& options) const {
    Stream stream(3, {Purpose::test, 0, 0, 0});
    return solve_by_sgd(*model, rows, options, Vec(model->size(), 77.0), stream);
  }
  std::unique_ptr<Model> model;
  Vec x;
  Vec y;
  Batch<double> rows;
};

ErmOptions sgd(double curvature, std::int64_t steps) {
  ErmOptions options;
  options.solver = "sgd";
  options.sgd.curvature = curvature;
  options.sgd.steps = steps;
  return options;
}

// One row, x = 1 and y = 2, so every draw has the gradient w - 2. With mu = 1/2 and radius 3:
//   w_1 = P(0 + 2 * 2) = 3,  w_2 = 3 - 1 * 1 = 2,  w_3 = 2 - 2/3 * 0 = 2.
TEST(ErmSgd, StepsAreOneOverMuTAndEndInTheBall) {
  const Rows rows(1, {1}, {2});
  ErmOptions options = sgd(0.5, 1);
  EXPECT_DOUBLE_EQ(rows.solve(options).model[0], 4);
  options.radius = 3;
  EXPECT_DOUBLE_EQ(rows.solve(options).model[0], 3);
  options.sgd.steps = 2;
  EXPECT_DOUBLE_EQ(rows.solve(options).model[0], 2);
  // With mu = 2:  w_1 = 1,  w_2 = 1 + 1/4,  w_3 = 5/4 + 1/6 * 3/4.
  EXPECT_DOUBLE_EQ(rows.solve(sgd(2, 3)).model[0], 1.375);
  EXPECT_TRUE(rows.solve(options).converged) << "no epsilon was asked for";
}

TEST(ErmSgd, TheNonUniformAverageWeighsByT) {
  const Rows rows(1, {1}, {2});
  ErmOptions options = sgd(2, 3);
  options.sgd.average = "non-uniform";
  EXPECT_DOUBLE_EQ(rows.solve(options).model[0], (1 * 1 + 2 * 1.25 + 3 * 1.375) / 6);
}

// After w_1 = 3 the bound is |(3 - 2) / mu|^2 = 4; the squared distance itself is 1.
TEST(ErmSgd, StopsAtEpsilon) {
  const Rows rows(1, {1}, {2});
  ErmOptions options = sgd(0.5, 2);
  options.radius = 3;
  options.sgd.epsilon = 4.0;
  EXPECT_DOUBLE_EQ(rows.solve(options).model[0], 3);
  EXPECT_TRUE(rows.solve(options).converged);
  options.sgd.epsilon = 3.9;
  EXPECT_DOUBLE_EQ(rows.solve(options).model[0], 2);
  EXPECT_TRUE(rows.solve(options).converged);
  options.sgd.steps = 1;
  EXPECT_FALSE(rows.solve(options).converged);
}

// f = 1/8 sum (x w - y)^2 over four rows in two dimensions; X'X / 4 = diag(1/2, 2) and X'y / 4 = (1, 2), so
// the minimum is (2, 1) and mu = 1/2. The residuals there are (1, -1, 1, -1).
TEST(ErmSgd, ComesNearTheMinimumOfManyRows) {
  const Rows rows(2, {1, 0, 1, 0, 0, 2, 0, 2}, {3, 1, 3, 1});
  ErmOptions options = sgd(0.5, 40000);
  options.radius = 5;
  for (const char* average : {"last", "non-uniform"}) {
    options.sgd.average = average;
    for (std::int64_t batch : {1, 4}) {
      options.sgd.batch = batch;
      const Erm erm = rows.solve(options);
      // Lemma 5 of ODCL with Gamma < 25 promises a mean squared distance of 4 Gamma^2 / (mu^2 T) = 0.25.
      EXPECT_NEAR(erm.model[0], 2, 0.1) << average << batch;
      EXPECT_NEAR(erm.model[1], 1, 0.1) << average << batch;
      EXPECT_NE(erm.model[0], 2) << "stochastic";
    }
  }
}

TEST(ErmSgd, RefusesNoRowsAndNumbersThatAreNotFinite) {
  EXPECT_THROW(Rows(1, {}, {}).solve(sgd(1, 1)), Error);
  EXPECT_THROW(Rows(1, {1}, {std::nan("")}).solve(sgd(1, 1)), Error);
  EXPECT_THROW(Rows(1, {1e6}, {1}).solve(sgd(1e-3, 1000)), Error) << "no ball holds it back";
}

TEST(ErmSgd, NeedsTheCurvature) {
  ErmOptions options;
  EXPECT_THROW(set_options(options, "solver = \"sgd\""), BadConfig);
  set_options(options, "solver = \"sgd\"\nsgd = { curvature = 0.5, average = \"non-uniform\" }");
  EXPECT_EQ(options.sgd.curvature, 0.5);
}

}  // namespace
}  // namespace coterie::erm_sgd_test
