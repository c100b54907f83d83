#include "math/elementary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "math/kernels.h"

namespace coterie::elementary_test {
namespace {

// Distance in units of the last place of the true value.
template <class Real>
double ulps(Real got, long double truth) {
  const Real rounded = static_cast<Real>(truth);
  const Real unit =
      std::nextafter(std::fabs(rounded), std::numeric_limits<Real>::infinity()) - std::fabs(rounded);
  return static_cast<double>(std::fabs(static_cast<long double>(got) - truth) /
                             static_cast<long double>(unit));
}

template <class Real>
class Elementary : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Elementary, Reals);

TYPED_TEST(Elementary, ExponentialIsRightToTheLastPlaces) {
  const double range = std::log(static_cast<double>(std::numeric_limits<TypeParam>::max()));
  double worst = 0;
  for (int i = 0; i <= 200000; ++i) {
    const auto x = static_cast<TypeParam>(0.98 * range * (i / 100000.0 - 1));
    worst = std::max(worst, ulps(exponential(x), std::exp(static_cast<long double>(x))));
  }
  EXPECT_LT(worst, 1.5);
}

TYPED_TEST(Elementary, LogarithmIsRightToTheLastPlaces) {
  double worst = 0;
  for (int i = 1; i <= 200000; ++i) {
    const auto near_one = static_cast<TypeParam>(0.5 + i / 100000.0);
    const auto anywhere = static_cast<TypeParam>(std::exp2((i - 100000) / 800.0));
    for (const TypeParam x : {near_one, anywhere}) {
      worst = std::max(worst, ulps(logarithm(x), std::log(static_cast<long double>(x))));
    }
  }
  EXPECT_LT(worst, 1.5);
}

TYPED_TEST(Elementary, SpecialValuesAreThoseOfTheStandardLibrary) {
  using Limits = std::numeric_limits<TypeParam>;
  const TypeParam infinity = Limits::infinity();
  EXPECT_EQ(exponential(TypeParam(0)), TypeParam(1));
  EXPECT_EQ(exponential(-infinity), TypeParam(0));
  EXPECT_EQ(exponential(infinity), infinity);
  EXPECT_EQ(exponential(TypeParam(2000)), infinity);
  EXPECT_EQ(exponential(TypeParam(-2000)), TypeParam(0));
  EXPECT_TRUE(std::isnan(exponential(Limits::quiet_NaN())));
  EXPECT_EQ(logarithm(TypeParam(1)), TypeParam(0));
  EXPECT_EQ(logarithm(TypeParam(0)), -infinity);
  EXPECT_EQ(logarithm(infinity), infinity);
  EXPECT_TRUE(std::isnan(logarithm(TypeParam(-1))));
  EXPECT_TRUE(std::isnan(logarithm(-infinity)));
  EXPECT_TRUE(std::isnan(logarithm(Limits::quiet_NaN())));
  // Denormal numbers: the smallest is 2 to the power of (lowest exponent - digits).
  const TypeParam tiny = std::log(Limits::denorm_min());
  EXPECT_EQ(exponential(tiny), Limits::denorm_min());
  EXPECT_NEAR(logarithm(Limits::denorm_min()), tiny, 1e-4);
}

TYPED_TEST(Elementary, LoopsGiveTheBitsOfSingleCalls) {
  for (std::size_t count = 0; count < 40; ++count) {
    std::vector<TypeParam> x(count);
    for (std::size_t i = 0; i < count; ++i) x[i] = static_cast<TypeParam>(0.37 * static_cast<double>(i + 1));
    std::vector<TypeParam> exps = x;
    std::vector<TypeParam> logs = x;
    exponentials(exps);
    logarithms(logs);
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(exps[i], exponential(x[i]));
      EXPECT_EQ(logs[i], logarithm(x[i]));
    }
  }
}

TEST(Softplus, KeepsItsPrecisionAtBothEnds) {
  for (double z = -700; z < 700; z += 0.37) {
    const long double truth = std::log1p(std::exp(static_cast<long double>(z)));
    EXPECT_NEAR(softplus(z) / static_cast<double>(truth), 1, 1e-15) << z;
  }
  EXPECT_EQ(softplus(-1000), 0);
  EXPECT_EQ(softplus(1000), 1000);
}

TEST(Sigmoid, KeepsItsPrecisionAtBothEnds) {
  for (double z = -700; z < 700; z += 0.37) {
    const long double truth = 1 / (1 + std::exp(-static_cast<long double>(z)));
    EXPECT_NEAR(sigmoid(z) / static_cast<double>(truth), 1, 1e-15) << z;
  }
  EXPECT_EQ(sigmoid(0), 0.5);
}

TEST(Cosine, IsRightFarFromZero) {
  for (int i = -200000; i <= 200000; ++i) {
    const double x = i * 4.999;
    ASSERT_NEAR(cosine(x), static_cast<double>(std::cos(static_cast<long double>(x))), 3e-16) << x;
  }
}

}  // namespace
}  // namespace coterie::elementary_test
