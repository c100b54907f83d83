// Products of rows that have a value of their own in most places: their backgrounds.
#include "math/strips.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "coterie/error.h"
#include "coterie/random.h"

namespace coterie::strips_test {
namespace {

// Rows of which every third has no background; the others have 0.3, 0.6, ... in two places of three.
template <class Real>
struct Images {
  std::size_t count, width;
  std::vector<Real> x, backgrounds;

  Images(std::size_t count, std::size_t width) : count(count), width(width) {
    Stream stream(7, {Purpose::test});
    for (std::size_t i = 0; i < count; ++i) {
      backgrounds.push_back(i % 3 == 0 ? Real(0) : static_cast<Real>(0.3 * static_cast<double>(i % 5)));
      for (std::size_t k = 0; k < width; ++k) {
        const bool dark = stream.uniform() < 0.67;
        x.push_back(dark ? backgrounds[i] : static_cast<Real>(stream.normal()));
      }
    }
  }
  Matrix<const Real> rows(std::size_t first, std::size_t some) const {
    return data_rows(x.data() + first * width, some, width,
                     std::span<const Real>(backgrounds).subspan(first));
  }
  Matrix<const Real> rows() const { return rows(0, count); }
};

template <class Real>
std::vector<Real> right_side(std::size_t rows, std::size_t columns) {
  Stream stream(8, {Purpose::test});
  std::vector<Real> b(rows * columns);
  for (Real& value : b) value = static_cast<Real>(stream.normal());
  return b;
}

template <class Real>
std::vector<Real> product(const Matrix<const Real>& a, const std::vector<Real>& b, std::size_t columns) {
  std::vector<Real> c(a.rows * columns, Real(5));
  multiply(a, Matrix<const Real>(b.data(), a.columns, columns), Matrix<Real>(c.data(), a.rows, columns));
  return c;
}

template <class Real>
class Backgrounds : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Backgrounds, Reals);

TYPED_TEST(Backgrounds, AgreeWithTheDefinition) {
  using Real = TypeParam;
  for (const std::size_t count : {2u, 7u, 100u, 300u}) {
    for (const std::size_t columns : {10u, 48u, 70u}) {
      const Images<Real> images(count, 290);
      for (const auto& a : {images.rows(), images.rows().transposed()}) {
        const std::vector<Real> b = right_side<Real>(a.columns, columns), c = product(a, b, columns);
        for (std::size_t i = 0; i < a.rows; ++i) {
          for (std::size_t j = 0; j < columns; ++j) {
            long double sum = 0, scale = 0;
            for (std::size_t k = 0; k < a.columns; ++k) {
              const long double term =
                  static_cast<long double>(a.data[i * a.row_step + k * a.column_step]) * b[k * columns + j];
              sum += term;
              scale += std::fabs(term);
            }
            const auto error = static_cast<double>(scale * 40 * std::numeric_limits<Real>::epsilon());
            ASSERT_NEAR(c[i * columns + j], static_cast<double>(sum), error) << count << " " << columns;
          }
        }
      }
    }
  }
}

TYPED_TEST(Backgrounds, ARowDoesNotDependOnTheOthers) {
  using Real = TypeParam;
  const Images<Real> images(250, 290);
  const std::vector<Real> b = right_side<Real>(290, 50), all = product(images.rows(), b, 50);
  for (std::size_t some = 1; some < 20; ++some) {
    for (const std::size_t first : {0u, 4u, 200u}) {
      const std::vector<Real> few = product(images.rows(first, some), b, 50);
      ASSERT_TRUE(std::equal(few.begin(), few.end(), all.begin() + first * 50)) << some << " from " << first;
    }
  }
}

// The same rows of a transposed product, some columns of the images at a time.
TYPED_TEST(Backgrounds, PiecesOfAProductHaveItsBits) {
  using Real = TypeParam;
  const Images<Real> images(100, 290);
  const std::vector<Real> b = right_side<Real>(100, 50);
  const Matrix<const Real> a = images.rows().transposed();
  const std::vector<Real> all = product(a, b, 50);
  for (const std::size_t first : {0u, 2u, 111u}) {
    for (const std::size_t some : {1u, 3u, 8u, 100u}) {
      const std::vector<Real> piece = product(part(a, first, some, 0, 100), b, 50);
      ASSERT_TRUE(std::equal(piece.begin(), piece.end(), all.begin() + first * 50))
          << some << " from " << first;
    }
  }
}

TYPED_TEST(Backgrounds, PackingAndLongRegistersChangeNoBit) {
  using Real = TypeParam;
  for (const std::size_t count : {1u, 5u, 60u, 300u}) {
    const Images<Real> images(count, 290);
    for (const auto& a : {images.rows(), images.rows().transposed()}) {
      const std::vector<Real> b = right_side<Real>(a.columns, 50), expected = product(a, b, 50);
      const Packed<Real> packed(Matrix<const Real>(b.data(), a.columns, 50),
                                a.background_of_columns ? a.background : nullptr);
      std::vector<Real> c(a.rows * 50);
      multiply(a, packed, Matrix<Real>(c.data(), a.rows, 50));
      EXPECT_EQ(c, expected) << count;
      std::vector<Real> turned(b.size());  // b, column after column
      for (std::size_t j = 0; j < b.size(); ++j) turned[j % 50 * a.columns + j / 50] = b[j];
      multiply(a, Matrix<const Real>(turned.data(), 50, a.columns).transposed(),
               Matrix<Real>(c.data(), a.rows, 50));
      EXPECT_EQ(c, expected) << count;
      use_wide_registers(false);
      EXPECT_EQ(product(a, b, 50), expected) << count;
      use_wide_registers(true);
    }
  }
}

// What is left out in a product must not hide an infinity: then nothing is.
TYPED_TEST(Backgrounds, CountForNothingBesideInfinity) {
  using Real = TypeParam;
  Images<Real> images(30, 290);
  std::vector<Real> b = right_side<Real>(290, 50);
  b[50 + 3] = std::numeric_limits<Real>::infinity();
  images.x[290 + 1] = 0;  // row 1 meets it with a zero
  const std::vector<Real> c = product(images.rows(), b, 50);
  const std::vector<Real> plain = product(Matrix<const Real>(images.x.data(), 30, 290), b, 50);
  EXPECT_TRUE(std::isnan(c[50 + 3]));
  for (std::size_t j = 0; j < c.size(); ++j)
    ASSERT_TRUE(c[j] == plain[j] || (std::isnan(c[j]) && std::isnan(plain[j]))) << j;
}

// Finite numbers whose sums are not: as without backgrounds, packed or not.
TYPED_TEST(Backgrounds, CountForNothingNearOverflow) {
  using Real = TypeParam;
  const Images<Real> images(30, 290);
  const std::vector<Real> b(290 * 50, std::numeric_limits<Real>::max() / 200);
  const std::vector<Real> plain = product(Matrix<const Real>(images.x.data(), 30, 290), b, 50);
  std::vector<Real> packed(30 * 50);
  multiply(images.rows(), Packed<Real>(Matrix<const Real>(b.data(), 290, 50)),
           Matrix<Real>(packed.data(), 30, 50));
  EXPECT_EQ(product(images.rows(), b, 50), plain);
  EXPECT_EQ(packed, plain);
}

TYPED_TEST(Backgrounds, OntoABaseIsAddingToItsCopy) {
  using Real = TypeParam;
  const Images<Real> images(70, 290);
  for (const auto& a : {images.rows(), images.rows().transposed()}) {
    const std::vector<Real> b = right_side<Real>(a.columns, 50), base = right_side<Real>(a.rows, 50);
    const Matrix<const Real> right(b.data(), a.columns, 50);
    std::vector<Real> onto(a.rows * 50), packed(a.rows * 50), added = base;
    multiply(a, right, Matrix<Real>(added.data(), a.rows, 50), Into::add);
    multiply_onto(Matrix<const Real>(base.data(), a.rows, 50), a, right,
                  Matrix<Real>(onto.data(), a.rows, 50));
    multiply_onto(Matrix<const Real>(base.data(), a.rows, 50), a,
                  Packed<Real>(right, a.background_of_columns ? a.background : nullptr),
                  Matrix<Real>(packed.data(), a.rows, 50));
    EXPECT_EQ(onto, added);
    EXPECT_EQ(packed, added);
    EXPECT_NE(added, product(a, b, 50));
  }
}

TYPED_TEST(Backgrounds, OfAnotherMatrixAreRefused) {
  using Real = TypeParam;
  const Images<Real> images(40, 290);
  const std::vector<Real> b = right_side<Real>(40, 50);
  std::vector<Real> c(290 * 50);
  EXPECT_THROW(multiply(images.rows().transposed(), Packed<Real>(Matrix<const Real>(b.data(), 40, 50)),
                        Matrix<Real>(c.data(), 290, 50)),
               Bug);
}

}  // namespace
}  // namespace coterie::strips_test
