#include "groups/estimate.h"

#include <gtest/gtest.h>

#include <limits>

#include "coterie/error.h"

namespace coterie::estimate_test {
namespace {

Estimates two_numbers() {
  return {{{{1, 2}, {1, 0, 0, 1}, {}, 10}, {{3, 4}, {2, 1, 1, 2}, {3, 0, 0, 3}, 5}}, 2};
}

TEST(Estimates, GoodOnesAreTaken) { EXPECT_NO_THROW(require_estimates(two_numbers())); }

TEST(Estimates, BadOnesAreRefusedWithTheirPlace) {
  const std::vector<std::function<void(Estimate&)>> mistakes = {
      [](Estimate& e) { e.b[1] = std::numeric_limits<double>::quiet_NaN(); },
      [](Estimate& e) { e.v[3] = std::numeric_limits<double>::infinity(); },
      [](Estimate& e) {
        e.v = {1, 2, 2, 1};
      },
      [](Estimate& e) {
        e.curvature = {1, 2, 2, 1};
      },
      [](Estimate& e) { e.curvature = {1}; },
      [](Estimate& e) { e.b.pop_back(); },
      [](Estimate& e) { e.rows = 0; },
  };
  for (const auto& mistake : mistakes) {
    Estimates all = two_numbers();
    mistake(all.of[1]);
    try {
      require_estimates(all);
      ADD_FAILURE() << "was taken";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("estimate 1"), std::string::npos) << error.what();
    }
  }
}

TEST(Spread, WithoutOneWorkIsDoneInOrder) {
  std::vector<std::size_t> order;
  spread_over({}, 3, [&](std::size_t i) { order.push_back(i); });
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2}));
}

}  // namespace
}  // namespace coterie::estimate_test
