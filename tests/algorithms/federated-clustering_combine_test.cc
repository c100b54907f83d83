#include <gtest/gtest.h>

#include "algorithms/federated-clustering/combine.h"
#include "coterie/random.h"

namespace coterie::combine_test {
namespace {

// Vectors longer than a stretch, as floats or as doubles.
std::vector<Vec> some(std::size_t count, std::size_t width) {
  Stream stream(3, {Purpose::test});
  std::vector<Vec> all(count, Vec(width));
  for (Vec& one : all) {
    for (double& x : one) x = static_cast<float>(stream.normal());
  }
  return all;
}
template <class Real>
std::vector<Numbers> as(const std::vector<Vec>& vectors) {
  std::vector<Numbers> all;
  for (const Vec& one : vectors) all.emplace_back(Room<Real>(one.begin(), one.end()));
  return all;
}
std::vector<const Numbers*> pointers(const std::vector<Numbers>& all) {
  std::vector<const Numbers*> out;
  for (const Numbers& one : all) out.push_back(&one);
  return out;
}

template <class Real>
void expect_plain_results(double tolerance) {
  const std::vector<Vec> vectors = some(5, 5000);
  const std::vector<Numbers> numbers = as<Real>(vectors);
  const Vec products = inner_products(pointers(numbers));
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 5; ++j) {
      double expected = 0;
      for (std::size_t k = 0; k < 5000; ++k) expected += vectors[i][k] * vectors[j][k];
      EXPECT_NEAR(products[i * 5 + j], expected, tolerance * 5000);
    }
  }
  const Vec factors = {0.5, 0, -1, 2, 0.25};
  const Vec sum = combination(pointers(numbers), factors);
  ASSERT_EQ(sum.size(), 5000u);
  for (std::size_t k = 0; k < 5000; ++k) {
    double expected = 0;
    for (std::size_t i = 0; i < 5; ++i) expected += factors[i] * vectors[i][k];
    EXPECT_NEAR(sum[k], expected, 1e-14);
  }
}

TEST(Combine, OfFloats) { expect_plain_results<float>(1e-6); }
TEST(Combine, OfDoubles) { expect_plain_results<double>(1e-14); }

TEST(Combine, AVectorAloneIsItself) {
  const std::vector<Numbers> one = as<double>({{1, -2, 3}});
  EXPECT_EQ(inner_products(pointers(one)), Vec{14});
  EXPECT_EQ(combination(pointers(one), Vec{1}), (Vec{1, -2, 3}));
}

}  // namespace
}  // namespace coterie::combine_test
