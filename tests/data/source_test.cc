#include "coterie/source.h"

#include <gtest/gtest.h>

#include "coterie/error.h"
#include "data/pool_population.h"

namespace coterie::source_test {
namespace {

TEST(Population, APoolIsOneGroupThatCannotBeDrawnFrom) {
  Pool pool;
  pool.train.shape.width = 7;
  PoolPopulation population(std::move(pool));
  EXPECT_EQ(population.shape().width, 7u);
  ASSERT_NE(population.pool(), nullptr);
  EXPECT_EQ(population.groups(), 1u);
  EXPECT_EQ(population.shares(), std::vector<double>{1.0});
  EXPECT_EQ(population.parameters(0), std::nullopt);
  EXPECT_EQ(population.group_name(3), "group 3");
  Stream stream(1, {.purpose = Purpose::test});
  EXPECT_THROW(population.draw(0, 1, stream), Error);
}

}  // namespace
}  // namespace coterie::source_test
