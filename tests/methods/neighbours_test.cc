#include "methods/neighbours.h"

#include <gtest/gtest.h>

namespace coterie::neighbours_test {
namespace {

Samples placed(std::vector<std::uint32_t> places) {
  Samples rows;
  rows.targets.assign(places.size(), 0.0);
  rows.places = std::move(places);
  return rows;
}

Eigen::MatrixXd residuals(std::initializer_list<double> values) {
  Eigen::MatrixXd e(1, static_cast<Eigen::Index>(values.size()));
  std::copy(values.begin(), values.end(), e.data());
  return e;
}

// In the order of the file: 3, 1, -1, -3, about a mean of 10. Products 3 - 1 + 3, mean square 5.
TEST(Neighbours, GoByTheOrderOfTheFile) {
  const Samples rows = placed({40, 2, 30, 7});
  const Neighbours found = compare_neighbours(residuals({7, 13, 9, 11}), rows, Lots(rows));
  EXPECT_EQ(found.pairs, 3);
  EXPECT_DOUBLE_EQ(found.product, 1.0);
}

// Rows of one lot may depend on each other: only 1 and -1 are neighbours of different lots.
TEST(Neighbours, OfALotDoNotCount) {
  Samples rows = placed({1, 2, 3, 4});
  rows.kin = {5, 5, 6, 6};
  const Neighbours found = compare_neighbours(residuals({3, 1, -1, -3}), rows, Lots(rows));
  EXPECT_EQ(found.pairs, 1);
  EXPECT_DOUBLE_EQ(found.product, -0.2);
}

TEST(Neighbours, AreNoneWithoutAnOrderOrWithoutResiduals) {
  Samples rows = placed({1, 2, 3});
  EXPECT_EQ(compare_neighbours(residuals({4, 4, 4}), rows, Lots(rows)).pairs, 0);
  rows.places.clear();
  EXPECT_EQ(compare_neighbours(residuals({1, 2, 3}), rows, Lots(rows)).pairs, 0);
}

}  // namespace
}  // namespace coterie::neighbours_test
