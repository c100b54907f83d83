#include "math/orthonormal.h"

#include <gtest/gtest.h>

namespace coterie::orthonormal_test {
namespace {

// (3, 4) gives (.6, .8); what is left of (1, 0) is (.64, -.48), of length .8.
TEST(Orthonormal, FollowsGramAndSchmidt) {
  Vec rows = {3, 4, 1, 0};
  orthonormalise(rows, 2);
  const Vec expected = {0.6, 0.8, 0.8, -0.6};
  for (std::size_t c = 0; c < 4; ++c) EXPECT_NEAR(rows[c], expected[c], 1e-15);
}

TEST(Orthonormal, RowsThatDependOnOthersBecomeZero) {
  Vec rows = {3, 4, 0, -6, -8, 0, 0, 0, 2};
  orthonormalise(rows, 3);
  for (std::size_t c = 3; c < 6; ++c) EXPECT_EQ(rows[c], 0);
  EXPECT_EQ(rows[8], 1);
}

// A row that depends on those above takes no direction away from those below.
TEST(Orthonormal, RowsBelowADependentOneAreWhole) {
  Vec rows = {1, 0, 0, 2, 0, 0, 5, 0, 3, 0, 4, 3};
  orthonormalise(rows, 3);
  const Vec expected = {1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0};
  for (std::size_t c = 0; c < rows.size(); ++c) EXPECT_NEAR(rows[c], expected[c], 1e-15);
}

TEST(Orthonormal, HowMuchMayBeLeftIsAChoice) {
  const Vec nearly = {1, 0, 1, 1e-14};
  Vec rows = nearly;
  orthonormalise(rows, 2);
  EXPECT_EQ(rows[3], 0);
  rows = nearly;
  orthonormalise(rows, 2, 1e-15);
  EXPECT_NEAR(rows[3], 1, 1e-15);
}

// Rows that are nearly the same: what one pass leaves of them is at right angles to four digits only.
TEST(Orthonormal, NearlyDependentRowsAreOrthogonalToRounding) {
  constexpr double kLittle = 1e-6;
  Vec rows = {1, kLittle, 0, 0, 1, 0, kLittle, 0, 1, 0, 0, kLittle};
  orthonormalise(rows, 4);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double product = 0;
      for (std::size_t c = 0; c < 4; ++c) product += rows[i * 4 + c] * rows[j * 4 + c];
      EXPECT_NEAR(product, i == j ? 1 : 0, 1e-12) << i << j;
    }
  }
}

}  // namespace
}  // namespace coterie::orthonormal_test
