#include "math/kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "coterie/random.h"

namespace coterie::kernels_test {
namespace {

template <class Real>
std::vector<Real> normals(std::size_t count, std::uint32_t client) {
  Stream stream(7, {Purpose::test, 0, 0, client});
  std::vector<Real> values(count);
  for (Real& value : values) value = static_cast<Real>(stream.normal());
  return values;
}

template <class Real>
class Kernels : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Kernels, Reals);

TYPED_TEST(Kernels, SumsAgreeWithLongDoubleForEveryLength) {
  using Real = TypeParam;
  for (std::size_t count = 0; count < 200; ++count) {
    const std::vector<Real> a = normals<Real>(count, 1);
    const std::vector<Real> b = normals<Real>(count, 2);
    long double product = 0, total = 0, square = 0, distance = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const long double x = a[i], y = b[i];
      product += x * y;
      total += x;
      square += x * x;
      distance += (x - y) * (x - y);
    }
    const double rough = 100 * std::numeric_limits<Real>::epsilon();
    EXPECT_NEAR(dot(a, b), static_cast<double>(product), rough);
    EXPECT_NEAR(sum(a), static_cast<double>(total), 1e-13);
    EXPECT_NEAR(squared_norm(a), static_cast<double>(square), 1e-12);
    EXPECT_NEAR(squared_distance(a, b), static_cast<double>(distance), 1e-12);
  }
}

TYPED_TEST(Kernels, BitsDoNotDependOnTheAddress) {
  using Real = TypeParam;
  for (const std::size_t count : {1, 7, 33, 250, 1001}) {
    const std::vector<Real> a = normals<Real>(count, 1);
    const std::vector<Real> b = normals<Real>(count, 2);
    for (std::size_t shift = 0; shift < 8; ++shift) {
      std::vector<Real> room_a(count + shift), room_b(count + 8 - shift);
      std::copy(a.begin(), a.end(), room_a.begin() + shift);
      std::copy(b.begin(), b.end(), room_b.begin() + 8 - shift);
      const std::span<const Real> moved_a(room_a.data() + shift, count);
      const std::span<Real> moved_b(room_b.data() + 8 - shift, count);
      EXPECT_EQ(dot(moved_a, moved_b), dot(a, b));
      EXPECT_EQ(sum(moved_a), sum(a));
      EXPECT_EQ(squared_norm(moved_a), squared_norm(a));
      EXPECT_EQ(squared_distance(moved_a, moved_b), squared_distance(a, b));
      std::vector<Real> updated = b;
      add_scaled(Real(0.3), a, updated);
      add_scaled(Real(0.3), moved_a, moved_b);
      EXPECT_TRUE(std::equal(updated.begin(), updated.end(), moved_b.begin()));
    }
  }
}

TYPED_TEST(Kernels, UpdatesAreElementwise) {
  using Real = TypeParam;
  std::vector<Real> y = {1, 2, 3};
  add_scaled(Real(2), std::vector<Real>{10, 20, 30}, y);
  EXPECT_EQ(y, (std::vector<Real>{21, 42, 63}));
  scale(Real(0.5), y);
  EXPECT_EQ(y, (std::vector<Real>{10.5, 21, 31.5}));
}

TYPED_TEST(Kernels, ReluKeepsThePositivePart) {
  using Real = TypeParam;
  std::vector<Real> x = {-1, 0, 2, std::numeric_limits<Real>::quiet_NaN()};
  relu(std::vector<Real>(4, 0), x);
  EXPECT_EQ(x[0], 0);
  EXPECT_EQ(x[1], 0);
  EXPECT_EQ(x[2], 2);
  EXPECT_TRUE(std::isnan(x[3]));
  std::vector<Real> gradient = {5, 6, 7};
  relu_gradient(std::vector<Real>{0, 3, 0}, gradient);
  EXPECT_EQ(gradient, (std::vector<Real>{0, 6, 0}));
}

TYPED_TEST(Kernels, TheBackgroundIsTheFirstValueIfMostOfTheRowHasIt) {
  using Real = TypeParam;
  const auto of = [](std::vector<Real> row) { return background_of(std::span<const Real>(row)); };
  EXPECT_EQ(of({3, 1, 3, 3, 2}), 3);
  EXPECT_EQ(of({3, 1, 3, 2}), 0);     // half is not most
  EXPECT_EQ(of({1, 3, 3, 3, 3}), 0);  // most of it, but not its first
  EXPECT_EQ(of({0, 0, 0}), 0);
  EXPECT_EQ(of({}), 0);
  const Real infinite = std::numeric_limits<Real>::infinity(), none = std::nan("");
  EXPECT_EQ(of({infinite, infinite, 1}), 0);
  EXPECT_EQ(of({none, none, none}), 0);
}

TYPED_TEST(Kernels, AllFiniteFindsOneBadValueAnywhere) {
  using Real = TypeParam;
  for (const Real bad : {std::numeric_limits<Real>::infinity(), std::numeric_limits<Real>::quiet_NaN()}) {
    for (std::size_t at = 0; at < 37; ++at) {
      std::vector<Real> x(37, Real(1));
      EXPECT_TRUE(all_finite(x));
      x[at] = bad;
      EXPECT_FALSE(all_finite(x));
    }
  }
}

}  // namespace
}  // namespace coterie::kernels_test
