#include <gtest/gtest.h>

#include <algorithm>

#include "coterie/shift.h"
#include "support/plugins.h"

namespace coterie::label_noise_test {
namespace {

// New labels of 20,000 samples of class 3 of 5, counted.
std::vector<int> noisy_counts(const Shift& shift, std::size_t variant) {
  Samples samples;
  samples.shape = {.width = 0, .classes = 5};
  samples.targets.assign(20000, 3.0);
  Stream stream(5, {.purpose = Purpose::shift});
  shift.apply(variant, samples, stream);
  std::vector<int> counts(5, 0);
  for (double target : samples.targets) ++counts.at(static_cast<std::size_t>(target));
  return counts;
}

// Tolerances are five standard deviations: sqrt(20000 x 0.4 x 0.6) = 69, sqrt(20000 x 0.1 x 0.9) = 42.
TEST(LabelNoise, SpreadsWrongLabelsEvenly) {
  const auto shift = make_plugin<Shift>("label-noise", "rates = [0.4]");
  const std::vector<int> counts = noisy_counts(*shift, 0);
  EXPECT_NEAR(counts[3], 12000, 345);
  for (std::size_t label : {0, 1, 2, 4}) EXPECT_NEAR(counts[label], 2000, 210) << label;
}

TEST(LabelNoise, FlipsToTheNextClassInPairs) {
  const auto shift = make_plugin<Shift>("label-noise", "rule = \"pair\"\nrates = [0, 0.4, 1]");
  EXPECT_EQ(noisy_counts(*shift, 0), (std::vector<int>{0, 0, 0, 20000, 0}));
  EXPECT_NEAR(noisy_counts(*shift, 1)[4], 8000, 345);
  EXPECT_EQ(noisy_counts(*shift, 1)[3] + noisy_counts(*shift, 1)[4], 20000);
  EXPECT_EQ(noisy_counts(*shift, 2), (std::vector<int>{0, 0, 0, 0, 20000}));
}

TEST(LabelNoise, MayBeExactlyThatShareOfAClientsLabels) {
  const auto shift = make_plugin<Shift>("label-noise", "rates = [0.2]\nexact = true");
  for (std::uint32_t client = 0; client < 20; ++client) {
    Samples samples;
    samples.shape = {.width = 0, .classes = 2};
    samples.targets.assign(40, 1.0);
    Stream stream(5, {.purpose = Purpose::shift, .client = client});
    shift->apply(0, samples, stream);
    EXPECT_EQ(std::count(samples.targets.begin(), samples.targets.end(), 0.0), 8);
  }
}

TEST(LabelNoise, IsNoTruthAndLeavesTestDataClean) {
  EXPECT_FALSE(make_plugin<Shift>("label-noise")->is_truth_by_default());
  EXPECT_FALSE(make_plugin<Shift>("label-noise")->applies_to_test());
  EXPECT_TRUE(make_plugin<Shift>("label-noise", "test = true")->applies_to_test());
}

TEST(LabelNoise, RefusesRegressionASingleClassAndImpossibleRates) {
  EXPECT_THROW(make_plugin<Shift>("label-noise")->check_shape({.task = Task::regression}), Error);
  EXPECT_THROW(make_plugin<Shift>("label-noise")->check_shape({.classes = 1}), Error);
  EXPECT_THROW(make_plugin<Shift>("label-noise", "rates = [1.5]"), BadConfig);
}

}  // namespace
}  // namespace coterie::label_noise_test
