#include <gtest/gtest.h>

#include "coterie/attack.h"
#include "support/plugins.h"

namespace coterie::gaussian_test {
namespace {

TEST(Gaussian, IsNoiseOfThisMeanAndDeviationWhateverTheChange) {
  const auto attack = make_plugin<Attack>("gaussian", "mean = 3\ndeviation = 2");
  Stream stream(7, {Purpose::attack, 1, 0, 5});
  Vec change(20000, 1e6);
  attack->lie(change, stream);
  double sum = 0, squares = 0;
  for (const double value : change) sum += value;
  const double mean = sum / 20000;
  for (const double value : change) squares += (value - mean) * (value - mean);
  EXPECT_NEAR(mean, 3, 0.06);  // four deviations of the mean
  EXPECT_NEAR(squares / 20000, 4, 0.16);
}

TEST(Gaussian, WithoutDeviationIsItsMean) {
  const auto attack = make_plugin<Attack>("gaussian", "mean = -1.5\ndeviation = 0");
  Stream stream(7, {});
  Vec change{1, 2, 3};
  attack->lie(change, stream);
  EXPECT_EQ(change, (Vec{-1.5, -1.5, -1.5}));
}

TEST(Gaussian, RefusesANegativeDeviation) {
  EXPECT_THROW(make_plugin<Attack>("gaussian", "deviation = -1"), BadConfig);
}

}  // namespace
}  // namespace coterie::gaussian_test
