#include <gtest/gtest.h>

#include <cmath>

#include "datasets/open_source.h"

namespace coterie::mixed_logistic_test {
namespace {

// ODCL, Appendix D.1.
const char* const kOdcl =
    "clusters = 4\ndimension = 2\nparameters = \"given\"\ngiven = [[1, -1], [1, 0], [-1, 1], [0, -1]]\n"
    "covariance = \"given\"\ncovariances = [[1, 0, 0, 1], [2, 1, 1, 2], [1, 2, 2, 1], [2, 0, 0, 2]]\nrepair "
    "= true";

TEST(MixedLogistic, SaysWhatItIs) {
  auto population = open_source("mixed-logistic", kOdcl);
  EXPECT_EQ(population->shape(), (Shape{.task = Task::classification, .width = 2, .classes = 2}));
  EXPECT_EQ(population->groups(), 4u);
  EXPECT_EQ(population->parameters(2), (Vec{-1, 1}));
}

TEST(MixedLogistic, LabelsFollowTheLogisticLaw) {
  auto population = open_source("mixed-logistic", kOdcl);
  const std::size_t n = 40000;
  for (std::size_t g = 0; g < 4; ++g) {
    Samples samples = draw(*population, g, n);
    const Vec theta = truth(*population, g);
    // In each band of probabilities, the share of ones against the sum of the probabilities.
    double ones[4] = {}, expected[4] = {}, variance[4] = {};
    std::vector<double> x(2);
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_TRUE(samples.targets[i] == 0 || samples.targets[i] == 1);
      samples.copy_row(i, x);
      const double p = 1 / (1 + std::exp(-(x[0] * theta[0] + x[1] * theta[1])));
      const auto band = std::min<std::size_t>(static_cast<std::size_t>(p * 4), 3);
      ones[band] += samples.targets[i];
      expected[band] += p;
      variance[band] += p * (1 - p);
    }
    for (int band = 0; band < 4; ++band) {
      EXPECT_GT(expected[band], 100) << g;
      EXPECT_NEAR(ones[band], expected[band], 5 * std::sqrt(variance[band])) << g << " band " << band;
    }
  }
}

TEST(MixedLogistic, CovariancesOfOdclAreDrawnAsItsSamplerDid) {
  auto population = open_source("mixed-logistic", kOdcl);
  const double expected[4][3] = {{1, 0, 1}, {2, 1, 2}, {2, 1, 2}, {2, 0, 2}};  // the third is repaired
  const std::size_t n = 40000;
  for (std::size_t g = 0; g < 4; ++g) {
    Samples samples = draw(*population, g, n);
    Moments moments(samples);
    const double* c = expected[g];
    EXPECT_NEAR(moments.covariance(0, 0), c[0], 5 * c[0] * std::sqrt(2.0 / n));
    EXPECT_NEAR(moments.covariance(0, 1), c[1], 5 * std::sqrt((c[0] * c[2] + c[1] * c[1]) / n));
    EXPECT_NEAR(moments.covariance(1, 1), c[2], 5 * c[2] * std::sqrt(2.0 / n));
  }
}

TEST(MixedLogistic, EarlierSamplesDoNotDependOnHowManyFollow) {
  EXPECT_TRUE(draws_are_prefixes(*open_source("mixed-logistic", kOdcl), 1));
  EXPECT_TRUE(draws_are_prefixes(*open_source("mixed-logistic", "active = 3"), 1));
}

TEST(MixedLogistic, HasNoNoiseToSet) { EXPECT_THROW(open_source("mixed-logistic", "noise = 1"), BadConfig); }

}  // namespace
}  // namespace coterie::mixed_logistic_test
