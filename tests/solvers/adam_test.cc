#include <gtest/gtest.h>

#include "solvers/least_squares.h"

namespace coterie::adam_test {
namespace {

// Residuals of w = (1, 1): 0 on ((1, 2), 3) and 2 on ((0, 1), -1): the gradient is (0, 1). The first step of
// Adam has the length of the rate wherever there is a slope: m / (1 - beta1) = g, sqrt(v / (1 - beta2)) =
// |g|.
TEST(Adam, TakesOneStepAsByHand) {
  LocalWork<double> job{Rows<double>(regression(2), 2), {1, 1}};
  job.rows.x = {1, 2, 0, 1};
  job.rows.y = {3, -1};
  job.train("adam", "rate = 0.5\nbatch = 2");
  EXPECT_EQ(job.w[0], 1);
  EXPECT_NEAR(job.w[1], 0.5, 1e-8);
}

// Algorithm 1 of the paper, and torch.optim.Adam with weight_decay, on  (1/2n) sum_j (x_j.w - y_j)^2.
Vec by_formula(const Rows<double>& rows, Vec w, double rate, double weight_decay, double clip, int steps) {
  constexpr double kBeta1 = 0.9, kBeta2 = 0.999, kEpsilon = 1e-8;
  const std::size_t n = rows.y.size(), d = rows.width;
  Vec m(d), v(d);
  for (int t = 1; t <= steps; ++t) {
    Vec slope(d);
    for (std::size_t j = 0; j < n; ++j) {
      double residual = -rows.y[j];
      for (std::size_t i = 0; i < d; ++i) residual += rows.x[j * d + i] * w[i];
      for (std::size_t i = 0; i < d; ++i) slope[i] += residual * rows.x[j * d + i] / static_cast<double>(n);
    }
    double length = 0;
    for (const double s : slope) length += s * s;
    length = std::sqrt(length);
    for (std::size_t i = 0; i < d; ++i) {
      if (clip > 0 && length > clip) slope[i] *= clip / length;
      slope[i] += weight_decay * w[i];
      m[i] = kBeta1 * m[i] + (1 - kBeta1) * slope[i];
      v[i] = kBeta2 * v[i] + (1 - kBeta2) * slope[i] * slope[i];
      const double mean = m[i] / (1 - std::pow(kBeta1, t)), square = v[i] / (1 - std::pow(kBeta2, t));
      w[i] -= rate * mean / (std::sqrt(square) + kEpsilon);
    }
  }
  return w;
}

TEST(Adam, FollowsAlgorithm1) {
  const Vec start = {0.5, -1, 2};
  for (const double clip : {0.0, 0.3}) {
    LocalWork<double> job{Rows<double>(regression(3), 7), start};
    job.train("adam",
              "rate = 0.05\nbatch = 7\nepochs = 6\nweight_decay = 0.2\nclip = " + std::to_string(clip));
    expect_near(job.w, by_formula(job.rows, start, 0.05, 0.2, clip, 6), 1e-12);
    LocalWork<float> narrow{Rows<float>(regression(3), 7), {start.begin(), start.end()}};
    narrow.train("adam",
                 "rate = 0.05\nbatch = 7\nepochs = 6\nweight_decay = 0.2\nclip = " + std::to_string(clip));
    expect_near(narrow.w, by_formula(job.rows, start, 0.05, 0.2, clip, 6), 1e-5);
  }
}

// Two steps of rate 0.1 on the single row x = 1, y = 0 from w = 1, without momentum (beta1 = 0), beta2 =
// 0.75, and a pull of 1 to 0: g = w + w. The first goes to 0.9. Then g = 1.8, v = .75 * 1 + .25 * 3.24 = 1.56
// and v / (1 - .75^2) = 3.565714: w = .9 - .1 * 1.8 / 1.888310 = .804677.
TEST(Adam, AddsAProximalTermAsByHand) {
  LocalWork<double> job{Rows<double>(regression(1), 1), {1}, 1, {0}};
  job.rows.x = {1};
  job.rows.y = {0};
  job.train("adam", "rate = 0.1\nsteps = 2\nbeta1 = 0\nbeta2 = 0.75");
  EXPECT_NEAR(job.w[0], 0.804677, 1e-6);
}

TEST(Adam, BeginsAnewInEveryRound) {
  LocalWork<double> twice{Rows<double>(regression(3), 7), {1, 2, 3}}, once = twice;
  twice.train("adam", "rate = 0.1\nbatch = 7");
  const std::vector<double> after_one = twice.w;
  twice.train("adam", "rate = 0.1\nbatch = 7");
  LocalWork<double> fresh{Rows<double>(regression(3), 7), after_one};
  fresh.train("adam", "rate = 0.1\nbatch = 7");
  EXPECT_EQ(twice.w, fresh.w);
  once.train("adam", "rate = 0.1\nbatch = 7\nepochs = 2");
  EXPECT_NE(twice.w, once.w);
}

TEST(Adam, HasTheBatchesOfSgd) {
  const auto adam = make_plugin<Solver>("adam", "batch = 4\nepochs = 2"),
             sgd = make_plugin<Solver>("sgd", "batch = 4\nepochs = 2");
  for (const std::size_t n : {1u, 4u, 10u}) {
    EXPECT_EQ(adam->passes(n), sgd->passes(n));
    EXPECT_EQ(adam->step_rows(n), sgd->step_rows(n));
  }
  EXPECT_FALSE(adam->rate_for(1).has_value());
}

TEST(Adam, RefusesOptionsThatCannotWork) {
  EXPECT_THROW(make_plugin<Solver>("adam", "rate = 0"), BadConfig);
  EXPECT_THROW(make_plugin<Solver>("adam", "beta1 = 1"), BadConfig);
  EXPECT_THROW(make_plugin<Solver>("adam", "beta2 = 1"), BadConfig);
  EXPECT_THROW(make_plugin<Solver>("adam", "epsilon = 0"), BadConfig);
  EXPECT_THROW(make_plugin<Solver>("adam", "momentum = 0.9"), BadConfig);
}

}  // namespace
}  // namespace coterie::adam_test
