#include <gtest/gtest.h>

#include <limits>

#include "datasets/open_source.h"

namespace coterie::polynomial_test {
namespace {

const char* const kThree =
    "pieces = [[0, 0, 0, 0, 0, 0, 1], [1, 0, 0, 1, 1, 0, 0, 4, 3], [1, 0, 1, 1, 1, 0, 8],"
    "          [2, 0, 0, 0, 0, 0, 0.5], [2, 1, 0, 1, 0, 0, 0.5]]\nclusters = [0, 0, 1]";

Vec row_of(const Samples& samples, std::size_t i) {
  Vec row(samples.shape.width);
  samples.copy_row(i, row);
  return row;
}

TEST(PolynomialSource, ASampleIsALossWithAllItsPieces) {
  auto population = open_source("polynomial", kThree);
  EXPECT_EQ(population->shape(), (Shape{.task = Task::regression, .width = 14}));
  EXPECT_EQ(population->groups(), 3u);
  EXPECT_EQ(row_of(draw(*population, 1, 1), 0), (Vec{0, 1, 1, 0, 0, 4, 3, 1, 1, 1, 0, 8, 0, 0}));
  const double never = std::numeric_limits<double>::infinity();
  EXPECT_EQ(row_of(draw(*population, 0, 1), 0), (Vec{0, 0, 0, 0, 1, 0, 0, never, 0, 0, 0, 0, 0, 0}));
}

TEST(PolynomialSource, DrawsEvenlyFromTheLossesOfAKind) {
  auto population = open_source("polynomial", kThree);
  const Samples samples = draw(*population, 2, 4000);
  double second = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) second += row_of(samples, i)[1];
  EXPECT_NEAR(second, 2000, 5 * std::sqrt(1000.0));
}

TEST(PolynomialSource, KindsMayShareATrueCluster) {
  auto population = open_source("polynomial", kThree);
  EXPECT_EQ(population->cluster_of(0), population->cluster_of(1));
  EXPECT_NE(population->cluster_of(0), population->cluster_of(2));
}

TEST(PolynomialSource, RefusesPiecesOutOfOrder) {
  EXPECT_ANY_THROW(open_source("polynomial", "pieces = [[1, 0, 0, 0, 1]]"));
  EXPECT_ANY_THROW(open_source("polynomial", "pieces = [[0, 0, 1, 0, 1], [0, 0, 0, 0, 1]]"));
  EXPECT_ANY_THROW(open_source("polynomial", "pieces = [[0, 0, 0, 0]]"));
  EXPECT_ANY_THROW(open_source("polynomial", "pieces = [[0, 0, 0, 0, 1]]\nclusters = [0, 1]"));
}

}  // namespace
}  // namespace coterie::polynomial_test
