#include "math/minimise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace coterie::minimise_test {
namespace {

// sum_j c_j (x_j - j)^2 / 2 with c_j from 1 to 10^6.
double steep(std::span<const double> x, std::span<double> gradient) {
  double value = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    double c = std::pow(10.0, 6.0 * static_cast<double>(j) / static_cast<double>(x.size() - 1));
    double gap = x[j] - static_cast<double>(j);
    gradient[j] = c * gap;
    value += c * gap * gap / 2;
  }
  return value;
}

double rosenbrock(std::span<const double> x, std::span<double> gradient) {
  double a = 1 - x[0];
  double b = x[1] - x[0] * x[0];
  gradient[0] = -2 * a - 400 * x[0] * b;
  gradient[1] = 200 * b;
  return a * a + 100 * b * b;
}

// 2 log(1 + e^x) - 1.5 x, whose slope is 2 sigmoid(x) - 1.5.
double soft(std::span<const double> x, std::span<double> gradient) {
  double s = 1 / (1 + std::exp(-x[0]));
  gradient[0] = 2 * s - 1.5;
  return 2 * std::log1p(std::exp(x[0])) - 1.5 * x[0];
}

TEST(Minimise, FindsTheMinimumOfAnIllConditionedQuadratic) {
  Minimum found = minimise(steep, Vec(8, 0.0), {.tolerance = 1e-13, .iterations = 500});
  EXPECT_TRUE(found.converged);
  for (std::size_t j = 0; j < 8; ++j) EXPECT_NEAR(found.x[j], static_cast<double>(j), 1e-6);
}

TEST(Minimise, FollowsAValley) {
  Minimum found = minimise(rosenbrock, {-1.2, 1});
  EXPECT_TRUE(found.converged);
  EXPECT_LT(found.iterations, 100u);
  EXPECT_NEAR(found.x[0], 1, 1e-6);
  EXPECT_NEAR(found.x[1], 1, 1e-6);
}

// sigmoid(x) = 3/4 at x = log 3. Values are flat to rounding within 1e-8 of it; slopes are not.
TEST(Minimise, MeetsAToleranceBelowTheRoundingOfValues) {
  Minimum found = minimise(soft, {-4}, {.tolerance = 1e-14, .iterations = 100});
  EXPECT_TRUE(found.converged);
  EXPECT_NEAR(found.x[0], std::log(3.0), 1e-13);
}

TEST(Minimise, SaysWhenItRanOutOfIterations) {
  Minimum found = minimise(rosenbrock, {-1.2, 1}, {.tolerance = 1e-8, .iterations = 3});
  EXPECT_FALSE(found.converged);
  EXPECT_EQ(found.iterations, 3u);
}

TEST(Minimise, StopsWhenToldTo) {
  Minimum found = minimise(rosenbrock, {-1.2, 1}, {}, [](double value) { return value < 1; });
  EXPECT_LT(found.value, 1);
  EXPECT_GT(found.value, 1e-6);
}

TEST(Minimise, AStartThatIsNotANumberIsNoMinimum) {
  EXPECT_FALSE(minimise(rosenbrock, {std::nan(""), 1}).converged);
  EXPECT_FALSE(minimise_in_ball(rosenbrock, {std::nan(""), 1}, 1).converged);
}

// |x - c|^2 / 2 on a ball that does not hold c = (3, 4): the minimum is c shortened.
TEST(Minimise, OnABallTheNearestPoint) {
  Smooth f = [](std::span<const double> x, std::span<double> gradient) {
    gradient[0] = x[0] - 3;
    gradient[1] = x[1] - 4;
    return (gradient[0] * gradient[0] + gradient[1] * gradient[1]) / 2;
  };
  Minimum bound = minimise_in_ball(f, {10, -10}, 2);
  EXPECT_TRUE(bound.converged);
  EXPECT_NEAR(bound.x[0], 1.2, 1e-8);
  EXPECT_NEAR(bound.x[1], 1.6, 1e-8);
  Minimum free = minimise_in_ball(f, {0, 0}, 6);
  EXPECT_TRUE(free.converged);
  EXPECT_NEAR(free.x[0], 3, 1e-8);
  EXPECT_NEAR(free.x[1], 4, 1e-8);
}

// At the edge of the ball the gradient points inwards along x: grad = -lambda x with lambda >= 0.
TEST(Minimise, OnABallTheGradientIsAlongTheRadius) {
  Minimum found = minimise_in_ball(rosenbrock, {0, 0}, 0.5);
  EXPECT_TRUE(found.converged);
  EXPECT_NEAR(std::hypot(found.x[0], found.x[1]), 0.5, 1e-12);
  Vec gradient(2);
  rosenbrock(found.x, gradient);
  EXPECT_NEAR(gradient[0] * found.x[1] - gradient[1] * found.x[0], 0, 1e-6);
  EXPECT_LT(gradient[0] * found.x[0] + gradient[1] * found.x[1], 0);
}

// Values that are level but for rounding, and slopes that are mostly noise.
TEST(Minimise, EndsWhereStepsLeadNowhere) {
  Smooth noise = [](std::span<const double> x, std::span<double> gradient) {
    gradient[0] = x[0] + std::sin(1e12 * x[0]) / 2;
    return 1e15;
  };
  const MinimiseOptions never{1e-300, std::numeric_limits<std::size_t>::max()};
  for (const Minimum& found : {minimise(noise, {0.3}, never), minimise_in_ball(noise, {0.3}, 10, never)}) {
    EXPECT_FALSE(found.converged);
    EXPECT_GT(found.iterations, 10000u);
  }
}

TEST(Minimise, ProjectionShortensOnlyWhatIsTooLong) {
  Vec inside = {0.3, 0.4};
  project_on_ball(1, inside);
  EXPECT_EQ(inside, (Vec{0.3, 0.4}));
  Vec outside = {6, 8};
  project_on_ball(5, outside);
  EXPECT_NEAR(outside[0], 3, 1e-15);
  EXPECT_NEAR(outside[1], 4, 1e-15);
}

}  // namespace
}  // namespace coterie::minimise_test
