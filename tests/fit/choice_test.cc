#include "fit/choice.h"

#include <gtest/gtest.h>

#include <cmath>

namespace coterie::choice_test {
namespace {

FitTrial trial(std::vector<double> mean_losses, std::vector<double> rows = {}) {
  FitTrial made;
  for (std::size_t i = 0; i < mean_losses.size(); ++i) {
    const double n = rows.empty() ? 10 : rows[i];
    made.clients.push_back({static_cast<ClientId>(i), n, n * mean_losses[i], 0});
  }
  return made;
}

std::vector<Candidate> in_order(const std::vector<Answer>& answers) {
  std::vector<Candidate> all;
  for (const Answer answer : answers) all.emplace_back().answer = answer;
  return all;
}

TEST(PairedGain, IsAMeanOverRowsWithAnErrorOverClients) {
  // Gains of 1 and 3 over 10 and 30 rows: mean 2.5; n (d - mean) = -15 and 15, so se = sqrt(2 (225 + 225))
  // / 40.
  const PairedGain gain = gain_over(trial({1, 1}, {10, 30}), trial({2, 4}, {10, 30}));
  EXPECT_DOUBLE_EQ(gain.mean, 2.5);
  EXPECT_DOUBLE_EQ(gain.error, std::sqrt(900.0) / 40);
  EXPECT_EQ(gain.better, 2u);
  EXPECT_EQ(gain.worse, 0u);
}

TEST(PairedGain, CountsClientsOfBothOnly) {
  FitTrial other = trial({2, 2, 2});
  other.clients.erase(other.clients.begin() + 1);
  EXPECT_EQ(gain_over(trial({1, 1, 1}), other).clients, 2u);
  EXPECT_TRUE(std::isnan(gain_over(trial({1}), trial({2})).error));
}

TEST(Choose, TakesTheSimplestWithinOneStandardError) {
  const auto candidates = in_order({Answer::baseline, Answer::one_model, Answer::shrink, Answer::local});
  // Local is best by a hair, and so unevenly that shrink may as well be.
  const std::vector<FitTrial> trials{trial({9, 9, 9}), trial({3, 3.1, 2.9}), trial({1, 1.2, 0.9}),
                                     trial({0.5, 1.3, 1.2})};
  const FitChoice choice = choose(candidates, trials);
  EXPECT_EQ(choice.best, 3u);
  EXPECT_EQ(choice.chosen, 2u);
}

// What rounding is goes by the baseline: a candidate that is far off does not make all others equal to it.
TEST(Choose, IsNotMisledByACandidateThatIsFarOff) {
  const auto candidates = in_order({Answer::baseline, Answer::one_model, Answer::shrink, Answer::local});
  const std::vector<FitTrial> trials{trial({9, 9.5, 9.1}), trial({8, 8.1, 8.3}), trial({1, 1e240, 1}),
                                     trial({0.5, 0.6, 0.4})};
  EXPECT_EQ(choose(candidates, trials).chosen, 3u);
  EXPECT_FALSE(is_exact(trials, trials[3]));
  EXPECT_EQ(choose(candidates, {trials[0], trials[2], trials[2], trials[2]}).chosen, 1u);
}

TEST(Choose, TakesTheSimplestOfThoseThatAreExact) {
  const auto candidates = in_order({Answer::baseline, Answer::one_model, Answer::local});
  const std::vector<FitTrial> trials{trial({9, 9, 9}), trial({3e-30, 3e-30, 3e-30}),
                                     trial({1e-32, 1e-32, 1e-32})};
  EXPECT_EQ(choose(candidates, trials).chosen, 1u);
  EXPECT_TRUE(is_exact(trials, trials[1]));
  EXPECT_FALSE(is_exact(trials, trials[0]));
}

TEST(Choose, OfOneClientTakesTheFirstOfEquals) {
  const auto candidates = in_order({Answer::baseline, Answer::one_model, Answer::local});
  EXPECT_EQ(choose(candidates, {trial({9}), trial({3}), trial({3})}).chosen, 1u);
  EXPECT_EQ(choose(candidates, {trial({9}), trial({3}), trial({2})}).chosen, 2u);
}

TEST(Choose, NeverTakesABaselineOrAFailure) {
  const auto candidates = in_order({Answer::baseline, Answer::one_model, Answer::local});
  std::vector<FitTrial> trials{trial({1, 1}), trial({2, 2}), trial({2, 2})};
  trials[1].error = "it diverged";
  EXPECT_EQ(choose(candidates, trials).chosen, 2u);
  trials[2].error = "it diverged, too";
  EXPECT_FALSE(choose(candidates, trials).chosen);
}

TEST(Choose, NeverTakesWhatIsToldTheTruth) {
  const auto candidates = in_order({Answer::one_model, Answer::clusters, Answer::clusters});
  std::vector<FitTrial> trials{trial({3, 3.1, 2.9}), trial({2, 2.1, 1.9}), trial({1, 1.1, 0.9})};
  trials[2].knows_truth = true;
  const FitChoice choice = choose(candidates, trials);
  EXPECT_EQ(choice.best, 1u);
  EXPECT_EQ(choice.chosen, 1u);
}

TEST(Choose, ADifferenceThatEveryClientSharesCounts) {
  const auto candidates = in_order({Answer::one_model, Answer::clusters});
  EXPECT_EQ(choose(candidates, {trial({1.01, 2.01, 3.01}), trial({1, 2, 3})}).chosen, 1u);
}

}  // namespace
}  // namespace coterie::choice_test
