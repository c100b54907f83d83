#include "data/apportion.h"

#include <gtest/gtest.h>

#include <numeric>

#include "coterie/random.h"

namespace coterie::apportion_test {
namespace {

using Counts = std::vector<std::size_t>;

// Exact shares 4.7, 2.8 and 2.5: rounded down they leave two units, for .8 and then .7.
TEST(Apportion, ServesTheLargestRemaindersFirst) {
  EXPECT_EQ(apportion(10, std::vector<double>{0.47, 0.28, 0.25}), (Counts{5, 3, 2}));
  EXPECT_EQ(apportion(10, std::vector<double>{1, 1, 1}), (Counts{4, 3, 3}));
  EXPECT_EQ(apportion(3, std::vector<double>{0, 5, 0}), (Counts{0, 3, 0}));
  EXPECT_EQ(apportion(0, std::vector<double>{1, 2}), (Counts{0, 0}));
}

TEST(Apportion, AddsUpAndStaysWithinOneOfTheExactShare) {
  Stream stream(3, {.purpose = Purpose::test});
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> weights(1 + stream.below(50));
    double sum = 0;
    for (double& weight : weights) sum += weight = stream.bernoulli(0.2) ? 0 : stream.uniform();
    if (sum == 0) continue;
    const std::size_t total = stream.below(1000);
    const Counts parts = apportion(total, weights);
    EXPECT_EQ(std::accumulate(parts.begin(), parts.end(), std::size_t{0}), total);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      EXPECT_LT(std::abs(static_cast<double>(parts[i]) - static_cast<double>(total) * weights[i] / sum), 1.0);
    }
  }
}

TEST(Apportion, GivesNothingToWeightsOfZero) {
  std::vector<double> weights(1000, 0.0);
  weights[17] = 1e-300;
  weights[400] = 1;
  const Counts parts = apportion(99, weights);
  EXPECT_EQ(parts[400], 99u);
}

TEST(Interleave, TakesTurns) {
  EXPECT_EQ(interleave(Counts{2, 2, 2}), (std::vector<std::uint32_t>{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(interleave(Counts{4, 2}), (std::vector<std::uint32_t>{0, 1, 0, 0, 1, 0}));
  EXPECT_EQ(interleave(Counts{0, 2}), (std::vector<std::uint32_t>{1, 1}));
}

TEST(Interleave, KeepsProportionsInEveryBeginning) {
  const Counts counts = {50, 30, 17, 3};
  const std::vector<std::uint32_t> sequence = interleave(counts);
  ASSERT_EQ(sequence.size(), 100u);
  Counts seen(4, 0);
  for (std::size_t i = 0; i < sequence.size(); ++i) {
    ++seen[sequence[i]];
    for (std::size_t v = 0; v < 4; ++v) {
      EXPECT_LT(std::abs(static_cast<double>(seen[v]) - static_cast<double>((i + 1) * counts[v]) / 100), 1.5);
    }
  }
  EXPECT_EQ(seen, counts);
}

TEST(EvenStart, CutsIntoPiecesThatDifferByAtMostOne) {
  Counts starts;
  for (std::size_t i = 0; i <= 4; ++i) starts.push_back(even_start(10, 4, i));
  EXPECT_EQ(starts, (Counts{0, 3, 6, 8, 10}));
}

}  // namespace
}  // namespace coterie::apportion_test
