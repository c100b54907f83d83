#include "math/gemm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "coterie/error.h"
#include "coterie/random.h"

namespace coterie::gemm_test {
namespace {

template <class Real>
std::vector<Real> normals(std::size_t count, std::uint32_t client) {
  Stream stream(11, {Purpose::test, 0, 0, client});
  std::vector<Real> values(count);
  for (Real& value : values) value = static_cast<Real>(stream.normal());
  return values;
}

template <class Real>
struct Problem {
  std::size_t m, n, k;
  bool a_transposed, b_transposed;
  std::vector<Real> a = normals<Real>(m * k, 1);
  std::vector<Real> b = normals<Real>(k * n, 2);
  std::vector<Real> c = normals<Real>(m * n, 3);

  Matrix<const Real> left(const Real* data) const {
    return a_transposed ? Matrix<const Real>(data, k, m).transposed() : Matrix<const Real>(data, m, k);
  }
  Matrix<const Real> right(const Real* data) const {
    return b_transposed ? Matrix<const Real>(data, n, k).transposed() : Matrix<const Real>(data, k, n);
  }
  // By the definition, in long double; `scale` sums the absolute terms.
  long double expected(std::size_t i, std::size_t j, long double& scale) const {
    long double sum = scale = 0;
    for (std::size_t l = 0; l < k; ++l) {
      const long double term = static_cast<long double>(a_transposed ? a[l * m + i] : a[i * k + l]) *
                               (b_transposed ? b[j * k + l] : b[l * n + j]);
      sum += term;
      scale += std::fabs(term);
    }
    return sum;
  }
  std::vector<Real> product(Into into) const {
    std::vector<Real> result = c;
    multiply(left(a.data()), right(b.data()), Matrix<Real>(result.data(), m, n), into);
    return result;
  }
};

const std::size_t kShapes[][3] = {{1, 1, 1},    {1, 5, 3},     {4, 1, 9},   {2, 3, 0},    {3, 17, 40},
                                  {4, 8, 2},    {6, 16, 5},    {7, 15, 33}, {8, 31, 255}, {13, 33, 257},
                                  {50, 10, 64}, {245, 18, 19}, {9, 9, 600}};

template <class Real>
class Gemm : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Gemm, Reals);

TYPED_TEST(Gemm, AgreesWithTheDefinition) {
  using Real = TypeParam;
  for (const auto& [m, n, k] : kShapes) {
    for (const bool a_transposed : {false, true}) {
      for (const bool b_transposed : {false, true}) {
        const Problem<Real> problem{m, n, k, a_transposed, b_transposed};
        const std::vector<Real> set = problem.product(Into::set);
        const std::vector<Real> added = problem.product(Into::add);
        for (std::size_t i = 0; i < m; ++i) {
          for (std::size_t j = 0; j < n; ++j) {
            long double scale = 0;
            const long double truth = problem.expected(i, j, scale);
            const Real old = problem.c[i * n + j];
            const auto error =
                static_cast<double>((scale + std::fabs(old)) * 40 * std::numeric_limits<Real>::epsilon());
            ASSERT_NEAR(set[i * n + j], static_cast<double>(truth), error) << m << "x" << n << "x" << k;
            ASSERT_NEAR(added[i * n + j], static_cast<double>(truth + old), error)
                << m << "x" << n << "x" << k;
          }
        }
      }
    }
  }
}

TYPED_TEST(Gemm, BitsDoNotDependOnTheAddress) {
  using Real = TypeParam;
  for (const auto& [m, n, k] : kShapes) {
    for (const bool a_transposed : {false, true}) {
      for (const bool b_transposed : {false, true}) {
        const Problem<Real> problem{m, n, k, a_transposed, b_transposed};
        const std::vector<Real> expected = problem.product(Into::add);
        for (std::size_t shift = 0; shift < 8; ++shift) {
          std::vector<Real> a(m * k + 8), b(k * n + 8), c(m * n + 8);
          Real* at_a = a.data() + shift;
          Real* at_b = b.data() + (3 * shift) % 8;
          Real* at_c = c.data() + (5 * shift) % 8;
          std::copy(problem.a.begin(), problem.a.end(), at_a);
          std::copy(problem.b.begin(), problem.b.end(), at_b);
          std::copy(problem.c.begin(), problem.c.end(), at_c);
          multiply(problem.left(at_a), problem.right(at_b), Matrix<Real>(at_c, m, n), Into::add);
          ASSERT_TRUE(std::equal(expected.begin(), expected.end(), at_c)) << m << "x" << n << "x" << k;
        }
      }
    }
  }
}

// A row of a batch has the same bits alone, in a small batch and in a large one.
TYPED_TEST(Gemm, ARowDoesNotDependOnTheOthers) {
  using Real = TypeParam;
  const std::size_t m = 250, n = 21, k = 300;
  const Problem<Real> all{m, n, k, false, false};
  const std::vector<Real> expected = all.product(Into::set);
  for (std::size_t rows = 1; rows < 20; ++rows) {
    for (const std::size_t first : {std::size_t(0), std::size_t(5), m - rows}) {
      std::vector<Real> few(rows * n);
      multiply(Matrix<const Real>(all.a.data() + first * k, rows, k), all.right(all.b.data()),
               Matrix<Real>(few.data(), rows, n));
      ASSERT_TRUE(std::equal(few.begin(), few.end(), expected.begin() + first * n))
          << rows << " from " << first;
    }
  }
}

// Shapes that meet every path: few rows, rests of tiles, one panel and several, long sums, no sum at all.
template <class Test>
void for_odd_shapes(const Test& test) {
  for (const std::size_t m : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 13u, 241u}) {
    for (const std::size_t n : {2u, 8u, 16u, 17u, 33u, 50u}) {
      for (const std::size_t k : {0u, 1u, 31u, 128u, 129u, 257u, 513u}) {
        if (m > 100 && n * k > 50 * 129) continue;  // tall ones are slow
        test(m, n, k);
      }
    }
  }
}

TYPED_TEST(Gemm, PackingChangesNoBit) {
  using Real = TypeParam;
  for_odd_shapes([](std::size_t m, std::size_t n, std::size_t k) {
    for (const bool a_transposed : {false, true}) {
      for (const bool b_transposed : {false, true}) {
        const Problem<Real> problem{m, n, k, a_transposed, b_transposed};
        const Packed<Real> packed(problem.right(problem.b.data()));
        EXPECT_EQ(packed.rows(), k);
        EXPECT_EQ(packed.columns(), n);
        std::vector<Real> result(m * n, Real(5));
        multiply(problem.left(problem.a.data()), packed, Matrix<Real>(result.data(), m, n));
        ASSERT_EQ(result, problem.product(Into::set)) << m << "x" << n << "x" << k;
        multiply_onto(Matrix<const Real>(problem.c.data(), m, n), problem.left(problem.a.data()), packed,
                      Matrix<Real>(result.data(), m, n));
        ASSERT_EQ(result, problem.product(Into::add)) << m << "x" << n << "x" << k;
      }
    }
  });
}

TYPED_TEST(Gemm, SeveralProductsInOnePassHaveTheBitsOfEach) {
  using Real = TypeParam;
  constexpr std::size_t kRows = 300, kInner = 270;
  std::vector<Real> a = normals<Real>(kRows * kInner, 1);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = i % 7 < 5 ? Real(0) : a[i];
  const Matrix<const Real> left(a.data(), kRows, kInner);
  for (const Matrix<const Real>& side : {left, Matrix<const Real>(a.data(), kInner, kRows).transposed()}) {
    const std::vector<std::size_t> widths = {2, 50, 64, 17, 50};
    std::vector<Packed<Real>> packed;
    std::vector<std::vector<Real>> expected, got;
    std::vector<PackedProduct<Real>> products;
    for (std::size_t k = 0; k < widths.size(); ++k) {
      std::vector<Real> b = normals<Real>(kInner * widths[k], 10 + static_cast<std::uint32_t>(k));
      if (k == 4) b[5] = std::numeric_limits<Real>::infinity();  // zeros count here
      packed.emplace_back(Matrix<const Real>(b.data(), kInner, widths[k]));
      expected.emplace_back(kRows * widths[k]);
      got.emplace_back(kRows * widths[k], Real(3));
      multiply(side, packed.back(), Matrix<Real>(expected.back().data(), kRows, widths[k]));
    }
    for (std::size_t k = 0; k < widths.size(); ++k) {
      products.push_back({&packed[k], Matrix<Real>(got[k].data(), kRows, widths[k])});
    }
    multiply_each(side, products);
    for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(got[k], expected[k]) << k;
    for (std::size_t j = 0; j < got[4].size(); ++j) {
      EXPECT_TRUE(got[4][j] == expected[4][j] || (std::isnan(got[4][j]) && std::isnan(expected[4][j])));
    }
  }
}

// Products of at most three rows leave nothing out.
template <class Real>
std::vector<Real> row_by_row(const Problem<Real>& p, Into into) {
  std::vector<Real> result = p.c;
  for (std::size_t i = 0; i < p.m; ++i) {
    Matrix<const Real> row = p.left(p.a.data());
    row.data += i * row.row_step;
    row.rows = 1;
    multiply(row, p.right(p.b.data()), Matrix<Real>(result.data() + i * p.n, 1, p.n), into);
  }
  return result;
}

// All else here is tested with what this processor has; this says that the other registers give the same.
TYPED_TEST(Gemm, LongRegistersChangeNoBit) {
  using Real = TypeParam;
  if (!use_wide_registers(true))
    GTEST_SKIP() << "this processor has no registers of 64 bytes: there is nothing to compare";
  for_odd_shapes([](std::size_t m, std::size_t n, std::size_t k) {
    for (const bool a_transposed : {false, true}) {
      for (const bool b_transposed : {false, true}) {
        Problem<Real> p{m, n, k, a_transposed, b_transposed};
        for (std::size_t i = 0; i < p.a.size(); ++i) p.a[i] = i % 5 < 2 ? Real(0) : p.a[i];
        const Packed<Real> packed(p.right(p.b.data()));
        auto all = [&](bool wide) {
          EXPECT_TRUE(use_wide_registers(wide));
          std::vector<std::vector<Real>> results = {p.product(Into::set), p.product(Into::add), p.c, p.c};
          multiply(p.left(p.a.data()), packed, Matrix<Real>(results[2].data(), m, n));
          multiply_onto(Matrix<const Real>(p.c.data(), m, n), p.left(p.a.data()), packed,
                        Matrix<Real>(results[3].data(), m, n));
          return results;
        };
        const auto narrow = all(false);
        ASSERT_EQ(narrow, all(true)) << m << "x" << n << "x" << k;
      }
    }
  });
}

// Of either sign, in strips that are all zero, partly, and not at all.
TYPED_TEST(Gemm, LeavingOutZerosChangesNoBit) {
  for (const bool transposed : {false, true}) {
    Problem<TypeParam> p{.m = 57, .n = 50, .k = 300, .a_transposed = transposed, .b_transposed = false};
    Stream stream(5, {Purpose::test});
    for (std::size_t i = 0; i < p.a.size(); ++i) {
      const bool dark = (i / (transposed ? p.m : p.k)) % 3 > 0 || stream.uniform() < 0.7;
      if (dark) p.a[i] = stream.uniform() < 0.5 ? TypeParam(0) : -TypeParam(0);
    }
    std::vector<TypeParam> packed = p.c;
    const Packed<TypeParam> b(p.right(p.b.data()));
    multiply(p.left(p.a.data()), b, Matrix<TypeParam>(packed.data(), p.m, p.n));
    EXPECT_EQ(packed, row_by_row(p, Into::set));
    EXPECT_EQ(p.product(Into::set), row_by_row(p, Into::set));
    const Matrix<const TypeParam> base(p.c.data(), p.m, p.n);
    multiply_onto(base, p.left(p.a.data()), b, Matrix<TypeParam>(packed.data(), p.m, p.n));
    EXPECT_EQ(packed, row_by_row(p, Into::add));
    EXPECT_EQ(p.product(Into::add), row_by_row(p, Into::add));
  }
}

// A product that underflows to -0 in a column before one that is left out.
TYPED_TEST(Gemm, LeavingOutZerosKeepsTheSignOfZero) {
  using Real = TypeParam;
  Problem<Real> p{.m = 30, .n = 50, .k = 40, .a_transposed = false, .b_transposed = false};
  std::fill(p.a.begin(), p.a.end(), Real(0));
  std::fill(p.b.begin(), p.b.end(), Real(1));
  for (std::size_t i = 0; i < p.m; ++i) p.a[i * p.k] = std::numeric_limits<Real>::min();
  for (std::size_t j = 0; j < p.n; ++j) p.b[j] = -std::numeric_limits<Real>::min();
  const Packed<Real> packed(p.right(p.b.data()));
  std::vector<Real> result(p.m * p.n);
  multiply(p.left(p.a.data()), packed, Matrix<Real>(result.data(), p.m, p.n));
  for (const std::vector<Real>& all : {p.product(Into::set), row_by_row(p, Into::set), result}) {
    for (const Real value : all) ASSERT_FALSE(value != 0 || std::signbit(value));
  }
}

TYPED_TEST(Gemm, ZeroTimesInfinityIsStillNotANumber) {
  Problem<TypeParam> p{.m = 6, .n = 50, .k = 4, .a_transposed = false, .b_transposed = false};
  std::fill(p.a.begin(), p.a.end(), TypeParam(0));
  p.b[0] = std::numeric_limits<TypeParam>::infinity();
  multiply(p.left(p.a.data()), Packed<TypeParam>(p.right(p.b.data())),
           Matrix<TypeParam>(p.c.data(), p.m, p.n));
  EXPECT_TRUE(std::isnan(p.c[0]));
  EXPECT_EQ(p.c[1], 0);
}

TYPED_TEST(Gemm, OntoABaseIsAddingToItsCopy) {
  using Real = TypeParam;
  const auto compare = [](std::size_t m, std::size_t n, std::size_t k) {
    for (const bool a_transposed : {false, true}) {
      for (const bool b_transposed : {false, true}) {
        const Problem<Real> problem{m, n, k, a_transposed, b_transposed};
        std::vector<Real> apart(m * n, Real(5)), in_place = problem.c;
        multiply_onto(Matrix<const Real>(problem.c.data(), m, n), problem.left(problem.a.data()),
                      problem.right(problem.b.data()), Matrix<Real>(apart.data(), m, n));
        const Matrix<Real> itself(in_place.data(), m, n);
        multiply_onto(itself, problem.left(problem.a.data()), problem.right(problem.b.data()), itself);
        const std::vector<Real> expected = problem.product(Into::add);
        ASSERT_EQ(apart, expected) << m << "x" << n << "x" << k;
        ASSERT_EQ(in_place, expected) << m << "x" << n << "x" << k;
      }
    }
  };
  for_odd_shapes(compare);
  for (const std::size_t m : {1u, 3u, 40u}) compare(m, 1, 300);  // one column
}

// A base whose rows lie further apart than those of the target.
TYPED_TEST(Gemm, TheBaseMayBePartOfALargerMatrix) {
  using Real = TypeParam;
  for (const std::size_t m : {2u, 9u}) {
    const Problem<Real> problem{m, 5, 40, false, false};
    std::vector<Real> wide(m * 11, Real(5)), result(m * 5);
    for (std::size_t i = 0; i < m; ++i) std::copy_n(problem.c.begin() + i * 5, 5, wide.begin() + i * 11 + 3);
    const Matrix<const Real> base(wide.data() + 3, m, 5, 11, 1);
    multiply_onto(base, problem.left(problem.a.data()), problem.right(problem.b.data()),
                  Matrix<Real>(result.data(), m, 5));
    EXPECT_EQ(result, problem.product(Into::add));
    std::fill(result.begin(), result.end(), Real(0));
    multiply_onto(base, problem.left(problem.a.data()), Packed<Real>(problem.right(problem.b.data())),
                  Matrix<Real>(result.data(), m, 5));
    EXPECT_EQ(result, problem.product(Into::add));
  }
}

TYPED_TEST(Gemm, WorksOnPartsOfLargerMatrices) {
  using Real = TypeParam;
  // The middle 2 x 2 of  c = a b  where a is the left 2 x 1 of a 2 x 3 matrix.
  const std::vector<Real> a = {2, 90, 90, 3, 90, 90};
  const std::vector<Real> b = {10, 100, 90};
  std::vector<Real> c = {1, 1, 1, 1, 1, 1, 1, 1};
  multiply(Matrix<const Real>(a.data(), 2, 1, 3, 1), Matrix<const Real>(b.data(), 1, 2, 3, 1),
           Matrix<Real>(c.data() + 1, 2, 2, 4, 1), Into::add);
  EXPECT_EQ(c, (std::vector<Real>{1, 21, 201, 1, 1, 31, 301, 1}));
}

TYPED_TEST(Gemm, RefusesMatricesThatDoNotFit) {
  using Real = TypeParam;
  std::vector<Real> x(12);
  const Matrix<Real> two_by_three(x.data(), 2, 3);
  EXPECT_THROW(multiply(two_by_three, two_by_three, Matrix<Real>(x.data() + 6, 2, 3)), Bug);
}

}  // namespace
}  // namespace coterie::gemm_test
