#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "algorithms/personal_models.h"

namespace coterie::personal_client_test {
namespace {

constexpr double kRate = 0.1;

// Four rows with x = 1: the gradient over rows S at w is w minus the mean of their y. Means of different
// subsets of one size differ.
const std::vector<double> kTargets = {0, 1, 10, 100};
TinyFederation::Client four_rows() { return {{{1}, {1}, {1}, {1}}, kTargets, 0}; }

struct Case {
  std::string algorithm;
  std::string toml;
  double alpha;  // of the running mean; 1: the gradient itself
};
const std::vector<Case> kCases = {
    {"federated-clustering", "rule = \"fixed\"\nradius = 1000\n", 1},
    {"momentum-clustering", "alpha = 0.5\nrule = \"fixed\"\nradius = 1000\n", 0.5},
    {"myopic", "", 1}};

TinyRun::Choices choices(const Case& one, int batch) {
  return {.algorithm = one.algorithm, .algorithm_toml = one.toml + "batch = " + std::to_string(batch)};
}

// A client alone steps along its own vector, which tells the mean of the y it drew.
std::map<long, int> drawn_means(const Case& one, int batch, int rounds) {
  TinyRun run({four_rows()}, choices(one, batch));
  run.start({{5.0}});
  std::map<long, int> seen;
  double before = 5, running = 0;
  for (int t = 0; t < rounds; ++t) {
    run.round({0});
    const double now = model_of(run, 0), vector = (before - now) / kRate;
    const double gradient = (vector - (1 - one.alpha) * running) / one.alpha;
    ++seen[std::lround((before - gradient) * batch)];  // the sum of the y that were drawn
    running = vector;
    before = now;
  }
  return seen;
}

// B_i = 1: each row is drawn, and about as often; B_i = 2: each of the six pairs, never a row twice.
TEST(PersonalClient, DrawsABatchWithoutReplacementInEachRound) {
  for (const Case& one : kCases) {
    const std::map<long, int> singles = drawn_means(one, 1, 400), pairs = drawn_means(one, 2, 600);
    ASSERT_EQ(singles.size(), 4u) << one.algorithm;
    for (const double y : kTargets) {
      EXPECT_NEAR(singles.at(std::lround(y)), 100, 40) << one.algorithm << " " << y;
    }
    ASSERT_EQ(pairs.size(), 6u) << one.algorithm;
    for (const long sum : {1, 10, 11, 100, 101, 110}) EXPECT_NEAR(pairs.at(sum), 100, 40) << one.algorithm;
  }
}

TEST(PersonalClient, ABatchOfAllRowsIsTheWholeGradientToTheBit) {
  for (const Case& one : kCases) {
    std::vector<Vec> models;
    for (const int batch : {0, 4, 1000}) {
      TinyRun run({four_rows(), wants(3), {{{1}, {1}}, {7, 9}, 0}}, choices(one, batch));
      run.start({{5.0}});
      for (int t = 0; t < 5; ++t) run.round({0, 1, 2});
      models.push_back({model_of(run, 0), model_of(run, 1), model_of(run, 2)});
    }
    EXPECT_EQ(models[0], models[1]) << one.algorithm;
    EXPECT_EQ(models[0], models[2]) << one.algorithm;
  }
}

// The draw is the client's own: two clients with the same rows draw apart, and who else is asked is no
// matter.
TEST(PersonalClient, EachClientDrawsFromItsOwnStream) {
  for (const Case& one : kCases) {
    int apart = 0;
    for (int t = 0; t < 20; ++t) {
      auto model_after = [&](ClientId client, const std::vector<std::vector<ClientId>>& before) {
        TinyRun run({four_rows(), four_rows()}, choices(one, 1));
        run.start({{5.0}});
        for (const auto& cohort : before) run.round(cohort);
        run.round({client});
        return model_of(run, client);
      };
      const std::vector<std::vector<ClientId>> others(static_cast<std::size_t>(t), {0});
      const std::vector<std::vector<ClientId>> same(static_cast<std::size_t>(t), {1});
      apart += model_after(1, others) != model_after(0, same) ? 1 : 0;
    }
    EXPECT_GT(apart, 8) << one.algorithm << ": three of four draws differ";
  }
}

// Client 1 draws y = 1 or 3; at both models the mean of the two clients' gradients must have the same draw.
TEST(PersonalClient, AClientsGradientsOfARoundAreOverOneDraw) {
  const Case fc = kCases[0];
  std::map<long, int> seen;
  for (int t = 0; t < 12; ++t) {
    TinyRun::Choices alike = choices(fc, 1);
    alike.weights = "uniform";
    TinyRun run({wants(0), {{{1}, {1}}, {1, 3}, 0}}, alike);
    run.start({{2.0}});
    for (int s = 0; s < t; ++s) run.round({0});
    const double first = model_of(run, 0);
    run.round({0, 1});
    const double at_first = first - (2 * (first - model_of(run, 0)) / kRate - first);
    const double at_second = 2 - (2 * (2 - model_of(run, 1)) / kRate - 2);
    EXPECT_NEAR(at_first, at_second, 1e-12);
    ++seen[std::lround(at_first)];
  }
  EXPECT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[1] + seen[3], 12);
}

// Theorems 3 and 4: near the minimum the error is the gradients' noise, which a group of n averages; running
// means have less of it in a single vector.
TEST(PersonalClient, AlikeClientsAverageTheNoiseOfTheirBatches) {
  auto wander = [](const Case& one, int clients) {
    std::vector<TinyFederation::Client> alike(static_cast<std::size_t>(clients), {{{1}, {1}}, {-1, 1}, 0});
    TinyRun run(alike, choices(one, 1));
    run.start({{0.0}});
    double sum = 0;
    for (int t = 0; t < 300; ++t) {
      run.round(run.fleet->everyone());
      if (t >= 50) sum += std::pow(model_of(run, 0), 2);
    }
    return sum / 250;
  };
  for (const Case& one : kCases) {
    EXPECT_LT(wander(one, 16), wander(one, 1) / 5) << one.algorithm;
  }
}

}  // namespace
}  // namespace coterie::personal_client_test
