// What every aggregator promises, tested for whatever is registered.
#include <gtest/gtest.h>

#include "coterie/fold.h"

namespace coterie {
namespace {

class AggregatorContract : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Aggregator> aggregator = Registry<Aggregator>::instance().make(GetParam());
};

TEST_P(AggregatorContract, EqualVectorsGiveThatVector) {
  std::vector<Contribution> equal;
  for (ClientId i = 0; i < 7; ++i) equal.push_back({i, 1.0 + i, {0.5, -3, 8}});
  Vec combined = aggregator->combine(equal);
  ASSERT_EQ(combined.size(), 3u);
  EXPECT_NEAR(combined[0], 0.5, 1e-12);
  EXPECT_NEAR(combined[1], -3, 1e-12);
  EXPECT_NEAR(combined[2], 8, 1e-12);
}

TEST_P(AggregatorContract, OneVectorIsItself) {
  std::vector<Contribution> one = {{3, 2.0, {1, 2}}};
  EXPECT_EQ(aggregator->combine(one), (Vec{1, 2}));
}

TEST_P(AggregatorContract, StaysWithinTheRangeOfItsInputs) {
  std::vector<Contribution> some = {{0, 1, {1, 5}}, {1, 2, {2, -4}}, {2, 1, {9, 0}}, {3, 1, {3, 1}}};
  Vec combined = aggregator->combine(some);
  EXPECT_GE(combined[0], 1);
  EXPECT_LE(combined[0], 9);
  EXPECT_GE(combined[1], -4);
  EXPECT_LE(combined[1], 5);
}

INSTANTIATE_TEST_SUITE_P(All, AggregatorContract,
                         testing::ValuesIn(Registry<Aggregator>::instance().names()));

TEST(Mean, IsWeighted) {
  auto mean = Registry<Aggregator>::instance().make("mean");
  std::vector<Contribution> two = {{0, 1, {1, 2}}, {1, 3, {5, -2}}};
  EXPECT_EQ(mean->combine(two), (Vec{4, -1}));
}

}  // namespace
}  // namespace coterie
