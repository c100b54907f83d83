#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "math/gemm.h"
#include "solvers/least_squares.h"

namespace coterie::sgd_test {
namespace {

// Row j is the j-th unit vector with target -1. From w = 0, a first visit in a batch of b rows moves w_j, and
// nothing else, to -rate/b; a later one moves it by -rate/b (1 + w_j). With rate = b/2: 0, -1/2, -3/4, -7/8.
LocalWork<double> unit_rows(std::size_t n) {
  LocalWork<double> job{Rows<double>(regression(n), n), Vec(n)};
  std::fill(job.rows.x.begin(), job.rows.x.end(), 0.0);
  for (std::size_t j = 0; j < n; ++j) job.rows.x[j * n + j] = 1;
  std::fill(job.rows.y.begin(), job.rows.y.end(), -1.0);
  return job;
}

// How many rows ended where.
std::map<double, int> ends(const LocalWork<double>& job) {
  std::map<double, int> count;
  for (const double value : job.w) ++count[value];
  return count;
}

TEST(Sgd, VisitsEveryRowOnceAnEpoch) {
  LocalWork<double> job = unit_rows(12);
  job.train("sgd", "rate = 2\nbatch = 4");
  EXPECT_EQ(ends(job), (std::map<double, int>{{-0.5, 12}}));
  job = unit_rows(12);
  job.train("sgd", "rate = 2\nbatch = 4\nepochs = 3");
  EXPECT_EQ(ends(job), (std::map<double, int>{{-0.875, 12}}));
}

// 10 rows in batches of 4: the last one has 2 rows, where a step is rate/2.
TEST(Sgd, TheLastBatchIsShorter) {
  LocalWork<double> job = unit_rows(10);
  job.train("sgd", "rate = 1\nbatch = 4");
  EXPECT_EQ(ends(job), (std::map<double, int>{{-0.25, 8}, {-0.5, 2}}));
}

TEST(Sgd, DropLastLeavesOutTheShortBatch) {
  LocalWork<double> job = unit_rows(10);
  job.train("sgd", "rate = 1\nbatch = 4\ndrop_last = true");
  EXPECT_EQ(ends(job), (std::map<double, int>{{0, 2}, {-0.25, 8}}));
}

TEST(Sgd, DropLastDoesNotSilenceASmallClient) {
  LocalWork<double> job = unit_rows(3);
  job.train("sgd", "rate = 1.5\nbatch = 4\ndrop_last = true");
  EXPECT_EQ(ends(job), (std::map<double, int>{{-0.5, 3}}));
}

// Without a new order, the same two of ten rows would be left out each time.
TEST(Sgd, ShufflesForEveryEpoch) {
  LocalWork<double> job = unit_rows(10);
  job.train("sgd", "rate = 2\nbatch = 4\ndrop_last = true\nepochs = 12");
  EXPECT_EQ(ends(job).count(0), 0u);
}

TEST(Sgd, StepsGoOnIntoFurtherEpochs) {
  LocalWork<double> job = unit_rows(12);
  job.train("sgd", "rate = 2\nbatch = 4\nsteps = 4");  // one epoch and a batch
  EXPECT_EQ(ends(job), (std::map<double, int>{{-0.75, 4}, {-0.5, 8}}));
  job = unit_rows(12);
  job.train("sgd", "rate = 2\nbatch = 4\nsteps = 2");
  EXPECT_EQ(ends(job), (std::map<double, int>{{-0.5, 8}, {0, 4}}));
}

// 10 rows in batches of 4: one pass takes rounds 1 to 3, the last of which has two rows.
TEST(Sgd, InTurnAPassTakesSeveralRounds) {
  const std::vector<Vec> expected = {{-0.25, -0.25, -0.25, -0.25, 0, 0, 0, 0, 0, 0},
                                     {0, 0, 0, 0, -0.25, -0.25, -0.25, -0.25, 0, 0},
                                     {0, 0, 0, 0, 0, 0, 0, 0, -0.5, -0.5},
                                     {-0.25, -0.25, -0.25, -0.25, 0, 0, 0, 0, 0, 0}};
  for (std::uint32_t round = 1; round <= 4; ++round) {
    LocalWork<double> job = unit_rows(10);
    job.round = round;
    job.train("sgd", "rate = 1\nbatch = 4\nsteps = 1\nin_turn = true");
    EXPECT_EQ(job.w, expected[round - 1]) << round;
  }
  LocalWork<double> job = unit_rows(10);
  job.round = 2;
  job.train("sgd", "rate = 1\nbatch = 4\nsteps = 2\nin_turn = true");  // the third batch and the first
  EXPECT_EQ(job.w, (Vec{-0.25, -0.25, -0.25, -0.25, 0, 0, 0, 0, -0.5, -0.5}));
}

TEST(Sgd, TakesEachRowsWeightAndTargetAlong) {
  LocalWork<double> job = unit_rows(12);
  for (std::size_t j = 0; j < 12; ++j) {
    job.rows.weights.push_back(static_cast<double>(j + 1));
    job.rows.y[j] = -static_cast<double>(j * j);
  }
  job.train("sgd", "rate = 4\nbatch = 4");
  for (std::size_t j = 0; j < 12; ++j) EXPECT_EQ(job.w[j], -static_cast<double>((j + 1) * j * j));
}

// A client that has chosen its model knows the sums of its rows there.
void expect_same_bits(std::size_t width, std::size_t batch, bool used) {
  const auto model = bound_model("mlp", "hidden = [50]\nl2 = 0.1", classification(width, 3));
  const auto solver = make_plugin<Solver>(
      "sgd", "rate = 0.1\nbatch = " + std::to_string(batch) + "\nepochs = 1\nmomentum = 0.5");
  const std::size_t count = 2 * batch + 3;
  const Rows<float> rows(classification(width, 3), count, true);
  Vec start;
  Stream first(1, {Purpose::init});
  model->init(start, first);
  const std::vector<float> from(start.begin(), start.end());
  std::vector<float> sums(count * 50);
  multiply(Matrix<const float>(rows.x.data(), count, width), Matrix<const float>(from.data(), width, 50),
           Matrix<float>(sums.data(), count, 50));
  std::size_t asked = 0;
  auto trained = [&](bool summed) {
    std::vector<float> w(from.size());
    Stream stream(3, {Purpose::work});
    LocalJob<float> job{*model, rows.batch(), w, 0, {}, {}, 1, 0, stream};
    job.start = from;
    job.first_sums = [&] {
      ++asked;
      return std::span<const float>(sums);
    };
    job.summed = summed;
    solver->train(job);
    return w;
  };
  const std::vector<float> plain = trained(false);
  EXPECT_EQ(asked, 0u);
  EXPECT_EQ(trained(true), plain);
  EXPECT_EQ(asked, used ? 1u : 0u);
}
TEST(Sgd, KnownSumsChangeNoBit) {
  expect_same_bits(40, 16, true);
  expect_same_bits(784, 80, true);
  expect_same_bits(784, 100, false);  // more than a model takes at a time
}

TEST(Sgd, TheStreamDecidesTheOrder) {
  const std::string toml = "rate = 0.1\nbatch = 3\nepochs = 2\nmomentum = 0.5";
  LocalWork<float> first{Rows<float>(regression(4), 20), {1, 2, 3, 4}};
  LocalWork<float> same = first, other = first;
  other.client = 1;
  first.train("sgd", toml);
  same.train("sgd", toml);
  other.train("sgd", toml);
  EXPECT_EQ(first.w, same.w);
  EXPECT_NE(first.w, other.w);
}

TEST(Sgd, OneBatchOfAllRowsIsGd) {
  LocalWork<double> sgd{Rows<double>(regression(3), 7, true), {1, 2, 3}, 0.2, {0, 0, 1}};
  LocalWork<double> gd = sgd;
  sgd.train("sgd", "rate = 0.1\nbatch = 7\nepochs = 4\nmomentum = 0.9\nweight_decay = 0.1");
  gd.train("gd", "rate = 0.1\nsteps = 4\nmomentum = 0.9\nweight_decay = 0.1");
  EXPECT_EQ(sgd.w, gd.w);
}

// Equal rows: whatever the batches, each step is that of one row.
TEST(Sgd, StepsAreThoseOfTheFormulas) {
  LocalWork<double> job{Rows<double>(regression(2), 9), {1, -1}, 0.3, {0.5, 0.5}};
  for (std::size_t j = 0; j < 9; ++j) {
    job.rows.x[2 * j] = 1;
    job.rows.x[2 * j + 1] = 2;
    job.rows.y[j] = 3;
  }
  job.round = 3;
  job.train("sgd", "rate = 0.1\nbatch = 4\nepochs = 2\nmomentum = 0.8\nweight_decay = 0.2\ndecay = 0.5");
  const Sizes sizes{.rate = 0.025, .momentum = 0.8, .weight_decay = 0.2, .prox = 0.3};
  expect_near(job.w, descend_by_hand(job.rows.only(0), {1, -1}, sizes, {0.5, 0.5}, 6, Vec(2)), 1e-14);
}

TEST(Sgd, CountsItsPasses) {
  const auto passes = [](const char* toml, std::size_t n) {
    return make_plugin<Solver>("sgd", toml)->passes(n);
  };
  EXPECT_EQ(passes("batch = 4\nepochs = 3", 10), 3);
  EXPECT_EQ(passes("batch = 4\nepochs = 3\ndrop_last = true", 10), 2.4);
  EXPECT_EQ(passes("batch = 4\nsteps = 2", 10), 0.8);
  EXPECT_EQ(passes("batch = 4\nsteps = 4", 10), 1.4);
  EXPECT_EQ(passes("batch = 4\nsteps = 5", 2), 5);
  EXPECT_EQ(passes("batch = 4\nsteps = 2\nin_turn = true", 10), 2.0 / 3);  // two of three batches, on average
  EXPECT_EQ(passes("batch = 4\nepochs = 3\nin_turn = true\ndrop_last = true", 10), 2.4);
  EXPECT_EQ(passes("batch = 4", 0), 0);
}

TEST(Sgd, RefusesEpochsAndStepsTogether) {
  try {
    make_plugin<Solver>("sgd", "epochs = 1\nsteps = 10");
    FAIL() << "accepted";
  } catch (const BadConfig& error) {
    EXPECT_NE(std::string(error.what()).find("steps"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace coterie::sgd_test
