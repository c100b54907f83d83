#include <gtest/gtest.h>

#include <cmath>

#include "run/session.h"
#include "support/tiny_federation.h"

namespace coterie::cluster_oracle_test {
namespace {

TEST(ClusterOracle, FitsAllRowsOfATrueCluster) {
  TinyRun run({{{{1}}, {2}, 1}, {{{1}, {2}}, {5, 12}, 1}, {{{1}}, {-3}, 0}}, {.algorithm = "cluster-oracle"});
  EXPECT_EQ(run.algorithm->start_models(), 2u);
  run.start({{0.0}, {0.0}});
  run.round({0, 1, 2});
  EXPECT_NEAR(run.models()[0][0], -3, 1e-7);
  EXPECT_NEAR(run.models()[1][0], (2.0 + 5 + 24) / 6, 1e-7);
  EXPECT_TRUE(run.fleet->take_events().empty());
}

// (3) of ODCL: the mean over clients of f_i, here of (w - 2)^2 / 2 and of ((w - 5)^2 + (2 w - 12)^2) / 4,
// whose slopes are w - 2 and (5 w - 29) / 2.
TEST(ClusterOracle, MayCountClientsAlike) {
  TinyRun run({{{{1}}, {2}, 0}, {{{1}, {2}}, {5, 12}, 0}},
              {.algorithm = "cluster-oracle", .algorithm_toml = "weights = \"clients\""});
  run.start({{0.0}});
  run.round({0, 1});
  EXPECT_NEAR(run.models()[0][0], (2 + 14.5) / (1 + 2.5), 1e-7);
}

// With as many rows each it is the same.
TEST(ClusterOracle, ClientsAndSamplesAgreeWhereAllHaveAsMany) {
  std::vector<Vec> models;
  for (const char* weights : {"samples", "clients"}) {
    TinyRun run(
        {{{{1}, {3}}, {2, 1}, 0}, {{{1}, {2}}, {5, 12}, 0}},
        {.algorithm = "cluster-oracle", .algorithm_toml = std::string("weights = '") + weights + "'"});
    run.start({{0.0}});
    run.round({0, 1});
    models.push_back(run.models()[0]);
  }
  EXPECT_NEAR(models[0][0], models[1][0], 1e-7);
}

TEST(ClusterOracle, RidgeCountsOnceWhateverTheClients) {
  // 1/2 mean (w - y)^2 + 0.25 w^2 over y = 2, 4, 6:  (w - 4) + 0.5 w = 0.
  TinyRun run({{{{1}}, {2}, 0}, {{{1}, {1}}, {4, 6}, 0}},
              {.algorithm = "cluster-oracle", .model_toml = "l2 = 0.5"});
  run.start({{0.0}});
  run.round({0, 1});
  EXPECT_NEAR(run.models()[0][0], 4 / 1.5, 1e-7);
}

TEST(ClusterOracle, FewRowsGiveTheShortestMinimumWhateverTheStart) {
  TinyRun run({{{{1, 2}}, {5}, 0}}, {.algorithm = "cluster-oracle"});
  run.start({{4.0, -3.0}});
  run.round({0});
  EXPECT_NEAR(run.models()[0][0], 1, 1e-7);
  EXPECT_NEAR(run.models()[0][1], 2, 1e-7);
}

TEST(ClusterOracle, StaysInTheBall) {
  TinyRun run({{{{1}}, {2}, 0}, {{{1}}, {4}, 0}},
              {.algorithm = "cluster-oracle", .algorithm_toml = "radius = 2.5"});
  run.start({{0.0}});
  run.round({0, 1});
  EXPECT_NEAR(run.models()[0][0], 2.5, 1e-7);
}

TEST(ClusterOracle, SaysWhenItStopsEarly) {
  TinyRun run({{{{1, 0}, {0, 3}, {1, 1}}, {2, 5, 1}, 0}},
              {.algorithm = "cluster-oracle", .algorithm_toml = "iterations = 1"});
  run.start({{0.0, 0.0}});
  run.round({0});
  std::vector<Event> events = run.fleet->take_events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, "inexact");
}

Config logistic(const std::string& more) {
  Problems problems;
  Config config = read_config(parse_toml(R"(
precision = "double"
[data]
source = "mixed-logistic"
dimension = 3
test_samples = 10
[clients]
count = 6
samples = 40
parts = { train = 1.0, validation = 0.0, test = 0.0 }
[model]
kind = "logistic"
intercept = false
[algorithm]
kind = "cluster-oracle"
)" + more,
                                         "test"),
                              "test", problems);
  problems.raise_if_any();
  return config;
}

TEST(ClusterOracle, FindsTheMinimumOfALikelihood) {
  const Config config = logistic("");
  Session session(config, "", 1, "");
  session.start();
  session.round(1);
  const std::vector<Vec> models = session.algorithm().offer().models;
  ASSERT_EQ(models.size(), 2u);
  for (std::uint32_t k = 0; k < 2; ++k) {
    Vec slope(3, 0.0);
    for (ClientId i = 0; i < 6; ++i) {
      if (session.federation().info(i).truth != k) continue;
      const auto samples = session.federation().samples(i, Part::train, 1);
      Vec x(3);
      for (std::size_t row = 0; row < samples->size(); ++row) {
        samples->copy_row(row, x);
        const double score = x[0] * models[k][0] + x[1] * models[k][1] + x[2] * models[k][2];
        const double gap = 1 / (1 + std::exp(-score)) - samples->targets[row];
        for (std::size_t j = 0; j < 3; ++j) slope[j] += gap * x[j] / 120;
      }
    }
    for (double s : slope) EXPECT_NEAR(s, 0, 1e-7);
  }
}

TEST(ClusterOracle, RefusesClassesThatALineTellsApart) {
  for (const char* weights : {"samples", "clients"}) {
    Config config = logistic(std::string("[algorithm.cluster-oracle]\nweights = '") + weights + "'\n");
    config.federation.clients.samples = 1;  // three rows a cluster, in three dimensions: some plane fits
    Session session(config, "", 1, "");
    session.start();
    EXPECT_THROW(session.round(1), Error) << weights;
  }
}

}  // namespace
}  // namespace coterie::cluster_oracle_test
