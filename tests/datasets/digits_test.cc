#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "datasets/open_source.h"

namespace coterie::digits_test {
namespace {

TEST(Digits, AreTheImagesOfUci) {
  auto population = open_source("digits", "");
  ASSERT_NE(population->pool(), nullptr);
  const Pool& pool = *population->pool();
  EXPECT_EQ(pool.train.shape, (Shape{.task = Task::classification,
                                     .width = 64,
                                     .classes = 10,
                                     .height = 8,
                                     .columns = 8,
                                     .channels = 1}));
  EXPECT_EQ(pool.train.size(), 1797u);
  EXPECT_EQ(pool.test.size(), 0u);
  EXPECT_TRUE(pool.owners.empty());

  // Counted in the file with other tools.
  const std::vector<std::uint32_t> expected = {178, 182, 177, 183, 181, 182, 181, 179, 174, 180};
  std::vector<std::uint32_t> counts(10);
  for (std::size_t i = 0; i < pool.train.size(); ++i) ++counts[pool.train.label(i)];
  EXPECT_EQ(counts, expected);
  const auto& pixels = std::get<std::vector<std::uint8_t>>(pool.train.features);
  ASSERT_EQ(pixels.size(), 1797u * 64);
  EXPECT_EQ(std::accumulate(pixels.begin(), pixels.end(), 0), 561718);
  EXPECT_EQ(*std::max_element(pixels.begin(), pixels.end()), 16);
}

TEST(Digits, FeaturesRunFromZeroToOne) {
  auto population = open_source("digits", "");
  std::vector<double> row(64);
  population->pool()->train.copy_row(0, row);
  // The first image starts 0,0,5,13,9,1,0,0.
  const double expected[8] = {0, 0, 5 / 16.0, 13 / 16.0, 9 / 16.0, 1 / 16.0, 0, 0};
  for (int j = 0; j < 8; ++j) EXPECT_EQ(row[static_cast<std::size_t>(j)], expected[j]);
  EXPECT_EQ(population->pool()->train.label(0), 0u);
}

}  // namespace
}  // namespace coterie::digits_test
