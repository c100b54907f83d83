#include "data/pool_population.h"

#include <gtest/gtest.h>

#include "support/fake_sources.h"

namespace coterie::pool_population_test {
namespace {

TEST(PoolPopulation, LetsGoOfTheMemoryOfItsFeatures) {
  Pool pool;
  pool.train = numbered_images(100, 2);
  PoolPopulation population(std::move(pool));
  population.drop_features();
  const Samples& left = population.pool()->train;
  std::visit([](const auto& features) { EXPECT_EQ(features.capacity(), 0u); }, left.features);
  EXPECT_EQ(left.targets.size(), 100u);
}

}  // namespace
}  // namespace coterie::pool_population_test
