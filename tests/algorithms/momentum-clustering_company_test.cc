#include <gtest/gtest.h>

#include "algorithms/momentum-clustering/company.h"

namespace coterie::company_test {
namespace {

// Two groups of four, 10 apart, and one point far away: rank 9 / 4 = 2.
TEST(Company, APointFarFromAllOthersHasNone) {
  const Vec values = {0, 0.1, 0.2, 0.3, 10, 10.1, 10.2, 10.3, 1e6};
  EXPECT_EQ(with_company({values, 9, 1}, 2), Vec(values.begin(), values.end() - 1));
}

TEST(Company, EqualPointsHaveCompany) {
  const Vec values = {3, 3, 3, 3, 3, 3, 3, 3, 4};
  EXPECT_EQ(with_company({values, 9, 1}, 2), Vec(8, 3.0));
}

// A cluster of three among twelve points in two clusters: rank 3, beyond its own members. Of four: within.
TEST(Company, AClusterNeedsHalfOfAnEqualShare) {
  Vec values = {0, 1, 2, 3, 4, 5, 6, 7, 8, 100, 101, 102};
  EXPECT_EQ(with_company({values, 12, 1}, 2).size(), 9u);
  values[8] = 103;
  EXPECT_EQ(with_company({values, 12, 1}, 2).size(), 12u);
}

TEST(Company, OfFewPointsAllAreKept) {
  const Vec values = {0, 0, 5};
  EXPECT_EQ(with_company({values, 3, 1}, 2), values);
}

TEST(Company, PointsOfSeveralNumbersStayTogether) {
  const Vec values = {0, 1, 0, 2, 0, 3, 0, 4, 50, 50};
  EXPECT_EQ(with_company({values, 5, 2}, 1), (Vec{0, 1, 0, 2, 0, 3, 0, 4}));
}

}  // namespace
}  // namespace coterie::company_test
