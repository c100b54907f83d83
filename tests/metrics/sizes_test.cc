#include <gtest/gtest.h>

#include <cmath>

#include "metrics/evaluations.h"

namespace coterie::sizes_test {
namespace {

std::vector<double> sizes(const Evaluation& e) {
  Record r = measure("sizes", e);
  return std::get<std::vector<double>>(*r.find("sizes"));
}

TEST(Sizes, CountsEmptyClustersToo) {
  Evaluation e = grouped({0, 2, 2}, {0, 1, 1});
  e.models.resize(4);
  add(e, Role::unseen, 0, 1, 1, 0, 0);
  EXPECT_EQ(sizes(e), (std::vector<double>{1, 0, 2, 0}));
  EXPECT_EQ(measure("sizes", e).number("clusters_found"), 2);
}

TEST(Sizes, ClustersMayOutnumberTheModels) {
  EXPECT_EQ(sizes(grouped({0, 2, 2}, {0, 1, 1})), (std::vector<double>{1, 0, 2}));
}

TEST(Sizes, DoNotApplyToPersonalModels) {
  Evaluation e = grouped({0, 0}, {0, 1});
  e.personal = true;
  EXPECT_TRUE(std::isnan(measure("sizes", e).number("sizes")));
  EXPECT_TRUE(std::isnan(measure("sizes", e).number("clusters_found")));
}

}  // namespace
}  // namespace coterie::sizes_test
