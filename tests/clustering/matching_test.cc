#include "clustering/matching.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include "coterie/error.h"
#include "coterie/random.h"

namespace coterie::matching_test {
namespace {

struct Best {
  double sum = std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
};

// Tries every order of the longer side; its first places go to the lines of the shorter side.
Best brute_force(const std::vector<double>& costs, std::size_t rows, std::size_t columns) {
  std::vector<std::size_t> order(std::max(rows, columns));
  std::iota(order.begin(), order.end(), 0);
  Best best;
  do {
    double sum = 0;
    double max = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < std::min(rows, columns); ++i) {
      double cost = rows <= columns ? costs[i * columns + order[i]] : costs[order[i] * columns + i];
      sum += cost;
      max = std::max(max, cost);
    }
    best.sum = std::min(best.sum, sum);
    best.max = std::min(best.max, max);
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

// One-to-one, complete on the shorter side, and worth what it says.
void expect_valid(const Assignment& found, const std::vector<double>& costs, std::size_t rows,
                  std::size_t columns, bool is_sum) {
  ASSERT_EQ(found.column.size(), rows);
  std::set<std::size_t> used;
  double sum = 0;
  double max = -std::numeric_limits<double>::infinity();
  for (std::size_t r = 0; r < rows; ++r) {
    if (found.column[r] == kUnmatched) continue;
    ASSERT_LT(found.column[r], columns);
    EXPECT_TRUE(used.insert(found.column[r]).second) << "column " << found.column[r] << " is matched twice";
    sum += costs[r * columns + found.column[r]];
    max = std::max(max, costs[r * columns + found.column[r]]);
  }
  EXPECT_EQ(used.size(), std::min(rows, columns));
  EXPECT_NEAR(found.value, is_sum ? sum : max, 1e-12);
}

std::vector<double> random_costs(std::size_t rows, std::size_t columns, bool with_ties, std::uint32_t trial) {
  Stream stream(7, {.purpose = Purpose::test, .round = trial});
  std::vector<double> costs(rows * columns);
  for (double& cost : costs) cost = with_ties ? static_cast<double>(stream.below(4)) : stream.uniform(-1, 1);
  return costs;
}

TEST(Assignment, EqualsTheBestOfAllPermutations) {
  std::uint32_t trial = 0;
  for (std::size_t rows = 1; rows <= 6; ++rows) {
    for (std::size_t columns = 1; columns <= 6; ++columns) {
      for (bool with_ties : {false, true}) {
        for (int repeat = 0; repeat < 8; ++repeat) {
          auto costs = random_costs(rows, columns, with_ties, trial++);
          SCOPED_TRACE(testing::Message() << rows << " x " << columns << ", trial " << trial);
          Best best = brute_force(costs, rows, columns);
          Assignment sum = assign_least_sum(costs, rows, columns);
          Assignment max = assign_least_max(costs, rows, columns);
          expect_valid(sum, costs, rows, columns, true);
          expect_valid(max, costs, rows, columns, false);
          EXPECT_NEAR(sum.value, best.sum, 1e-12);
          EXPECT_EQ(max.value, best.max);
        }
      }
    }
  }
}

TEST(Assignment, SumAndMaximumCanDisagree) {
  // Diagonal: sum 10, largest 10. The other way: sum 12, largest 6.
  std::vector<double> costs = {0, 6, 6, 10};
  EXPECT_EQ(assign_least_sum(costs, 2, 2).column, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(assign_least_max(costs, 2, 2).column, (std::vector<std::size_t>{1, 0}));
  EXPECT_EQ(assign_least_sum(costs, 2, 2).value, 10);
  EXPECT_EQ(assign_least_max(costs, 2, 2).value, 6);
}

TEST(Assignment, LeavesTheLongerSideFree) {
  std::vector<double> costs = {5, 1, 2};
  EXPECT_EQ(assign_least_sum(costs, 1, 3).column, (std::vector<std::size_t>{1}));
  EXPECT_EQ(assign_least_sum(costs, 3, 1).column, (std::vector<std::size_t>{kUnmatched, 0, kUnmatched}));
  EXPECT_EQ(assign_least_max(costs, 3, 1).column, (std::vector<std::size_t>{kUnmatched, 0, kUnmatched}));
}

TEST(Assignment, AnEmptyMatrixCostsNothing) {
  EXPECT_EQ(assign_least_sum({}, 0, 3).value, 0);
  EXPECT_EQ(assign_least_sum({}, 2, 0).column, (std::vector<std::size_t>{kUnmatched, kUnmatched}));
  EXPECT_EQ(assign_least_max({}, 2, 0).column, (std::vector<std::size_t>{kUnmatched, kUnmatched}));
}

TEST(Assignment, LeastMaximumAvoidsInfiniteCosts) {
  double far = std::numeric_limits<double>::infinity();
  EXPECT_EQ(assign_least_max(std::vector<double>{far, 3, 4, 1}, 2, 2).value, 4);
  EXPECT_EQ(assign_least_max(std::vector<double>{far, 3, far, 1}, 2, 2).value, far);
}

TEST(Assignment, RefusesWhatItCannotCompare) {
  double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(assign_least_sum(std::vector<double>{1, nan}, 1, 2), Bug);
  EXPECT_THROW(assign_least_max(std::vector<double>{1, nan}, 1, 2), Bug);
  EXPECT_THROW(assign_least_sum(std::vector<double>{1, 2, 3}, 2, 2), Bug);
}

}  // namespace
}  // namespace coterie::matching_test
