#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "coterie/methods/erm.h"
#include "math/orthonormal.h"
#include "models/bound_model.h"
#include "support/plugins.h"

namespace coterie::erm_sgd_test {
namespace {

// Linear regression with loss (x w - y)^2 / 2.
struct Rows {
  Rows(std::size_t width, Vec x, Vec y, const std::string& toml = "")
      : model(make_plugin<Model>("linear", with_intercept_said("linear", toml))),
        x(std::move(x)),
        y(std::move(y)) {
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

// In one dimension f = (w - 2)^2 / 2 on |w| <= 1: the minimum is 1, and at w in [-1, 1] the gradient is w
// - 2.
TEST(ErmSgd, TheBoundIsTheLesserOfTwo) {
  const Vec inside = {0}, edge = {1};
  EXPECT_DOUBLE_EQ(squared_distance_bound(inside, Vec{-2}, 1, 1.0), 2) << "0 + 1 * 2; the distance is 1";
  EXPECT_DOUBLE_EQ(squared_distance_bound(edge, Vec{-1}, 1, 1.0), 0) << "this is the minimum";
  EXPECT_DOUBLE_EQ(squared_distance_bound(inside, Vec{-2}, 1, {}), 4) << "the minimum is 2";
  EXPECT_DOUBLE_EQ(squared_distance_bound(Vec{0.5}, Vec{0.1}, 1, 10.0), 0.01) << "far from the edge";
}

// Random quadratics of 1 to 6 dimensions, many with a minimum outside of the ball. The rows are sqrt(n) S Q
// with S diagonal and Q orthogonal, so that the curvatures are the squares of S; the exact minimum in the
// ball is where projected gradients end.
struct RandomSquares {
  RandomSquares(Stream& stream, std::size_t width)
      : RandomSquares(stream, width, curvatures(stream, width)) {}
  RandomSquares(Stream& stream, std::size_t width, const Vec& each)
      : rows(width, design(stream, each), draws(stream, width)),
        radius(0.2 + stream.uniform()),
        curvature(*std::min_element(each.begin(), each.end()) * (1 - 1e-12)) {
    ErmOptions exact;
    exact.radius = radius;
    exact.tolerance = 1e-13;
    exact.iterations = 100000;
    best = solve_erm(*rows.model, rows.rows, exact, Vec(width, 0.0)).model;
  }
  static Vec curvatures(Stream& stream, std::size_t width) {
    Vec each(width);
    for (double& value : each) value = std::pow(10.0, stream.uniform(-1.5, 0.5));
    return each;
  }
  static Vec design(Stream& stream, const Vec& each) {
    const std::size_t width = each.size();
    Vec x(width * width);
    stream.normals(x);
    orthonormalise(x, width);
    for (std::size_t i = 0; i < width; ++i) {
      const double factor = std::sqrt(each[i] * static_cast<double>(width));
      for (std::size_t j = 0; j < width; ++j) x[i * width + j] *= factor;
    }
    return x;
  }
  static Vec draws(Stream& stream, std::size_t count) {
    Vec values(count);
    for (double& value : values) value = stream.normal() * std::exp(stream.normal());
    return values;
  }
  double squared_distance_of(const Vec& w) const {
    double sum = 0;
    for (std::size_t j = 0; j < w.size(); ++j) sum += (w[j] - best[j]) * (w[j] - best[j]);
    return sum;
  }
  Rows rows;
  double radius, curvature;
  Vec best;
};

TEST(ErmSgd, TheSquaredDistanceNeverExceedsTheBound) {
  Stream stream(11, {Purpose::test, 0, 0, 0});
  std::size_t at_the_edge = 0, bounded_by_the_ball = 0;
  for (int problem = 0; problem < 200; ++problem) {
    const auto width = 1 + stream.below(6);
    const RandomSquares one(stream, width);
    at_the_edge += one.squared_distance_of(Vec(width, 0.0)) > 0.999 * one.radius * one.radius ? 1 : 0;
    for (int point = 0; point < 50; ++point) {
      // In the ball, half of the points on its sphere, and some near the minimum.
      Vec w = RandomSquares::draws(stream, width);
      const double shrink = std::pow(10.0, -stream.uniform(0, 4));
      if (point % 3 == 0) {
        for (std::size_t j = 0; j < width; ++j) w[j] = one.best[j] + shrink * w[j];
      }
      double norm = 0;
      for (const double value : w) norm += value * value;
      const double length = std::min(std::sqrt(norm), point % 2 == 0 ? 1e9 : one.radius * stream.uniform());
      for (double& value : w) value *= std::min(length, one.radius) / std::sqrt(norm);
      Vec gradient(width);
      one.rows.model->gradient(w, one.rows.rows, gradient);
      const double bound = squared_distance_bound(w, gradient, one.curvature, one.radius);
      EXPECT_LE(one.squared_distance_of(w), bound + 1e-10 * one.radius * one.radius)
          << "problem " << problem << " point " << point;
      bounded_by_the_ball += bound < squared_distance_bound(w, gradient, one.curvature, {}) ? 1 : 0;
    }
  }
  EXPECT_GT(at_the_edge, 100u);
  EXPECT_GT(bounded_by_the_ball, 1000u) << "the ball's bound is the lesser one often enough to be tested";
}

TEST(ErmSgd, RunsThatStopAreWithinEpsilon) {
  Stream stream(12, {Purpose::test, 0, 0, 0});
  int stopped = 0;
  for (int problem = 0; problem < 200; ++problem) {
    const RandomSquares one(stream, 1 + stream.below(4));
    for (const char* average : {"last", "non-uniform"}) {
      ErmOptions options = sgd(one.curvature, 3000);
      options.radius = one.radius;
      options.sgd.average = average;
      options.sgd.epsilon = 0.1 * one.radius * one.radius;
      const Erm erm = one.rows.solve(options);
      if (!erm.converged) continue;
      ++stopped;
      EXPECT_LE(one.squared_distance_of(erm.model), *options.sgd.epsilon) << "problem " << problem << average;
    }
  }
  EXPECT_GT(stopped, 200);
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

TEST(ErmSgd, RefusesBatchesFarBeyondItsRows) {
  ErmOptions options = sgd(1, 2);
  options.sgd.batch = 1024;
  Rows(1, {1}, {2}).solve(options);
  options.sgd.batch = 1025;
  EXPECT_THROW(Rows(1, {1}, {2}).solve(options), Error);
  Rows(1, Vec(1025, 1.0), Vec(1025, 2.0)).solve(options);
}

TEST(ErmSgd, NeedsTheCurvature) {
  ErmOptions options;
  EXPECT_THROW(set_options(options, "solver = \"sgd\""), BadConfig);
  set_options(options, "solver = \"sgd\"\nsgd = { curvature = 0.5, average = \"non-uniform\" }");
  EXPECT_EQ(options.sgd.curvature, 0.5);
}

}  // namespace
}  // namespace coterie::erm_sgd_test
