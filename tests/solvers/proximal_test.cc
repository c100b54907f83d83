#include <gtest/gtest.h>

#include "solvers/least_squares.h"

namespace coterie::proximal_test {
namespace {

// One row x = (1, 2), y = 3 from 0 with eta = 0.5: P = 1 / (1 + 0.5 * 5) = 2/7, w = 0.5 * 3 * 2/7 x.
TEST(Proximal, OneRowByHand) {
  LocalWork<double> job{Rows<double>(regression(2), 1), {0, 0}};
  job.rows.x = {1, 2};
  job.rows.y = {3};
  job.train("proximal", "rate = 0.5");
  expect_near(job.w, {3.0 / 7, 6.0 / 7}, 1e-14);
}

// Lemma 1: w - eta/n X' [I + eta X X' / n]^-1 (X w - y), with eta = 0.3, computed with numpy. More parameters
// than rows, then fewer.
TEST(Proximal, IsTheOperatorOfLemma1) {
  LocalWork<double> wide{Rows<double>(regression(3), 2), {0.5, -1, 2}};
  wide.rows.x = {1, 2, 0, 0, 1, -1};
  wide.rows.y = {3, -1};
  wide.train("proximal", "rate = 0.3");
  expect_near(wide.w, {0.860411899313501, -0.13157894736842113, 1.8524027459954233}, 1e-14);
  LocalWork<double> tall{Rows<double>(regression(1), 3), {3}};
  tall.rows.x = {1, 2, -1};
  tall.rows.y = {1, 1, 0};
  tall.train("proximal", "rate = 0.3");
  expect_near(tall.w, {2.0625}, 1e-14);
}

// At the minimum the slope of the whole objective is zero: (1/n) sum_j weight_j r_j x_j + l2 w + (w - start)
// / eta + prox (w - centre).
template <class Real>
double slope_at_the_end(std::size_t rows, double error) {
  const Vec start = {0.5, -1, 2}, centre = {1, 1, -1};
  LocalWork<Real> job{Rows<Real>(regression(3), rows, true), {start.begin(), start.end()}};
  job.prox = 0.7;
  job.centre.assign(centre.begin(), centre.end());
  const auto model = bound_model("linear", "l2 = 0.4\nfactor = 1.5", regression(3));
  job.train(*make_plugin<Solver>("proximal", "rate = 0.2"), *model);
  double largest = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    double slope = 0.4 * job.w[i] + (job.w[i] - start[i]) / 0.2 + 0.7 * (job.w[i] - centre[i]);
    for (std::size_t j = 0; j < rows; ++j) {
      double residual = -job.rows.y[j];
      for (std::size_t c = 0; c < 3; ++c) residual += job.rows.x[j * 3 + c] * job.w[c];
      slope += 2 * 1.5 * job.rows.weights[j] * residual * job.rows.x[j * 3 + i] / static_cast<double>(rows);
    }
    largest = std::max(largest, std::fabs(slope));
  }
  EXPECT_LT(largest, error);
  return largest;
}
TEST(Proximal, MeetsTheMinimumWithWeightsL2AndAMethodsOwnProx) {
  slope_at_the_end<double>(2, 1e-13);
  slope_at_the_end<double>(9, 1e-13);
  slope_at_the_end<float>(9, 1e-5);
}

// The same with an intercept, which the L2 term leaves alone or not.
double slope_with_intercept(std::size_t rows, bool penalised) {
  const Vec start = {0.5, -1, 2, 0.7};
  LocalWork<double> job{Rows<double>(regression(3), rows, true), start};
  const auto model = bound_model(
      "linear",
      std::string("l2 = 0.4\nintercept = true\npenalise_intercept = ") + (penalised ? "true" : "false"),
      regression(3));
  job.train(*make_plugin<Solver>("proximal", "rate = 0.2"), *model);
  double largest = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    double slope = (i < 3 || penalised ? 0.4 : 0.0) * job.w[i] + (job.w[i] - start[i]) / 0.2;
    for (std::size_t j = 0; j < rows; ++j) {
      double residual = job.w[3] - job.rows.y[j];
      for (std::size_t c = 0; c < 3; ++c) residual += job.rows.x[j * 3 + c] * job.w[c];
      slope +=
          job.rows.weights[j] * residual * (i < 3 ? job.rows.x[j * 3 + i] : 1) / static_cast<double>(rows);
    }
    largest = std::max(largest, std::fabs(slope));
  }
  return largest;
}
TEST(Proximal, MeetsTheMinimumWithAnInterceptThatIsPenalisedOrNot) {
  for (const std::size_t rows : {2u, 9u}) {
    EXPECT_LT(slope_with_intercept(rows, false), 1e-12) << rows;
    EXPECT_LT(slope_with_intercept(rows, true), 1e-12) << rows;
  }
}

// What a client keeps from round to round gives the same step.
TEST(Proximal, KeptInnerProductsAndSumsGiveTheSameStep) {
  const auto model = bound_model("linear", "factor = 1.5", regression(9));
  const auto solver = make_plugin<Solver>("proximal", "rate = 0.7");
  const Rows<double> rows(regression(9), 5);
  const Vec start = {0.5, -1, 2, 0, 1, 1, -2, 0.25, 3};
  LocalWork<double> plain{rows, start};
  plain.train(*solver, *model);
  Vec gram(25, 0.0), sums(5, 0.0), w(9);
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t c = 0; c < 9; ++c) {
      sums[i] += rows.x[i * 9 + c] * start[c];
      for (std::size_t j = 0; j < 5; ++j) gram[i * 5 + j] += rows.x[i * 9 + c] * rows.x[j * 9 + c];
    }
  }
  Stream stream(3, {Purpose::work, 1, 0, 0});
  LocalJob<double> kept{*model, rows.batch(), w, 0, {}, {}, 1, 0, stream};
  kept.start = start;
  kept.first_sums = [&] { return std::span<const double>(sums); };
  kept.gram = [&] { return std::span<const double>(gram); };
  solver->train(kept);
  expect_near(w, plain.w, 1e-12);
}

TEST(Proximal, MeetsTheMinimumOfOtherLosses) {
  const Shape shape = classification(4, 3);
  const auto model = bound_model("softmax", "", shape);
  LocalWork<double> job{Rows<double>(shape, 6), Vec(model->size(), 0.25)};
  job.train(*make_plugin<Solver>("proximal", "rate = 2.0\ntolerance = 1e-10"), *model);
  Vec slope(model->size());
  model->gradient(std::span<const double>(job.w), job.rows.batch(), std::span<double>(slope));
  for (std::size_t j = 0; j < slope.size(); ++j) EXPECT_NEAR(slope[j] + (job.w[j] - 0.25) / 2, 0, 1e-9);
}

TEST(Proximal, AClientWithoutRowsStaysWhereItIs) {
  LocalWork<double> job{Rows<double>(regression(2), 0), {1, -2}};
  job.train("proximal", "");
  EXPECT_EQ(job.w, (Vec{1, -2}));
}

}  // namespace
}  // namespace coterie::proximal_test
