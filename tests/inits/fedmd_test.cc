#include <gtest/gtest.h>

#include <cmath>

#include "inits/fedmd_runs.h"
#include "run/session.h"

namespace coterie::fedmd_test {
namespace {

TEST(FedMd, AnchorsArriveAtTheirClustersFromAnywhere) {
  for (const char* start : {"start = \"random\"", "start = \"zero\"", "scale = 300.0\nrounds = 40"}) {
    const Made made(two_clusters(30, 24), start);
    EXPECT_LT(made.error(), 0.75) << start;  // a fifth of the distance between the clusters
    EXPECT_EQ(made.start.models.size(), 2u);
    EXPECT_EQ(made.of_kind("anchor").size(), 5u) << "3 K log K";
  }
}

TEST(FedMd, GivenConstantsDoToo) {
  const Made made(two_clusters(30, 24), "delta = 3.7\nalpha = 1.0\nbeta = 1.0\nrounds = 8");
  EXPECT_LT(made.error(), 0.75);
  EXPECT_TRUE(made.of_kind("curvature").empty());
  EXPECT_EQ(made.of_kind("anchors-grouped").size(), 1u);
  // Sigma and the distances of all pairs of anchors are there to read.
  EXPECT_EQ(made.of_kind("moments")[0].numbers.size(), 5u);
  EXPECT_EQ(made.of_kind("anchors-grouped")[0].numbers.size(), 5u + 10u);
}

// Inputs in other units are found just so: the models are in the inverse ones.
TEST(FedMd, UnitsOfTheInputsDoNotMatter) {
  for (const double unit : {1e-4, 1e4}) {
    Clients clients = two_clusters(30, 24);
    for (auto& client : clients) {
      for (Vec& x : client.x) {
        for (double& value : x) value *= unit;
      }
    }
    Made made(clients, "start = \"zero\"");
    for (Vec& model : made.start.models) {
      for (double& value : model) value *= unit;
    }
    EXPECT_LT(made.error(), 0.75) << unit;
    EXPECT_TRUE(made.of_kind("rejected").empty()) << unit;
  }
}

// Clusters may differ in how their inputs are spread, too.
TEST(FedMd, ClustersWithOtherCovariances) {
  Clients clients = two_clusters(30, 24);
  const Vec truth = {-1, 0, 2};
  for (std::size_t i = 1; i < clients.size(); i += 2) {
    for (std::size_t j = 0; j < clients[i].x.size(); ++j) {
      Vec& x = clients[i].x[j];
      x = {1.4 * x[0] + 0.3 * x[1], 0.8 * x[1], 0.3 * x[0] + x[2]};
      clients[i].y[j] = x[0] * truth[0] + x[1] * truth[1] + x[2] * truth[2];
    }
  }
  EXPECT_LT(Made(clients, "rounds = 40").error(), 0.75);
}

// The curvature is that of the clients that can be used, as if the others were not there.
TEST(FedMd, CurvatureOfTheUsableClients) {
  Clients clients = two_clusters(10, 12);
  const Made without(clients, "anchors = \"ids\"\nids = [0, 1, 2, 3]");
  clients.push_back(clients.back());
  clients.back().y[0] = std::nan("");
  const Made with(clients, "anchors = \"ids\"\nids = [0, 1, 2, 3]");
  EXPECT_EQ(with.of_kind("curvature")[0].numbers, without.of_kind("curvature")[0].numbers);
}

// 3 anchors, d = 3, K = 2, 8 bytes a number. m = 60 clients, T1 = 4, and T = 2 rounds with all
// anchors moving:
//   down  8 a d + T [m a d + T1 m a K d + a (K d + d)] 8      up  16 a + T [T1 m a K d 8 + a (8 d + 8)]
TEST(FedMd, BytesAreThoseOfTheFormula) {
  const std::string toml = "count = 3\nrounds = 2\niterations = 4\nalpha = 1.0\nbeta = 1.0\ndelta = 0.01\n";
  const std::uint64_t m = 60, a = 3, d = 3, k = 2;
  Made made(two_clusters(30, 10), toml);
  EXPECT_EQ(made.run.fleet->traffic().down,
            8 * a * d + 2 * (m * a * d + 4 * m * a * k * d + a * (k * d + d)) * 8);
  EXPECT_EQ(made.run.fleet->traffic().up, 16 * a + 2 * (4 * m * a * k * d * 8 + a * (8 * d + 8)));
  // Two perturbed models for each client instead of one, a cohort of 20, and floats.
  Made noisy(two_clusters(30, 10), toml + "noise = 0.1\ncohort = 20\n", {.precision = Precision::f32});
  EXPECT_EQ(noisy.run.fleet->traffic().down,
            4 * a * d + 2 * (20 * 2 * a * d + 4 * 20 * a * k * d + a * (k * d + d)) * 4);
  // Whole matrices: no Q down, d x d up.
  Made dense(two_clusters(30, 10), toml + "subspace = \"svd\"\n");
  EXPECT_EQ(dense.run.fleet->traffic().down, 8 * a * d + 2 * (m * a * d + a * (k * d + d)) * 8);
  EXPECT_EQ(dense.run.fleet->traffic().up, 16 * a + 2 * (m * a * d * d * 8 + a * (8 * d + 8)));
  // alpha and beta estimated: d products (Lanczos ends with the dimension) and the gradient at 0, with its
  // value.
  Made estimated(two_clusters(30, 10), "count = 3\nrounds = 2\niterations = 4\ndelta = 0.01\n");
  EXPECT_EQ(estimated.run.fleet->traffic().up - made.run.fleet->traffic().up, (d + 1) * m * (8 * d + 8));
  EXPECT_EQ(estimated.run.fleet->traffic().down - made.run.fleet->traffic().down, (d + 1) * m * 8 * d);
}

TEST(FedMd, PerturbedBroadcastsStillLeadThere) {
  EXPECT_LT(Made(two_clusters(40, 24), "noise = 0.3").error(), 0.75);
}

TEST(FedMd, FreshDataAsksEachClientInOneRoundOnly) {
  Clients clients = two_clusters(40, 4);
  const Clients large = two_clusters(2, 60);
  clients.insert(clients.end(), large.begin(), large.end());
  Made made(clients,
            "data = \"fresh\"\nrounds = 3\ncohort = 20\ncount = 4\nalpha = 1.0\nbeta = 1.0\niterations = 2");
  int asked = 0;
  for (std::size_t i = 0; i < 80; ++i) {
    const int touched = made.run.federation.touched[i];
    EXPECT_TRUE(touched == 0 || touched == 2)
        << "client " << i << " looked at its data " << touched << " times";
    asked += touched > 0 ? 1 : 0;
  }
  EXPECT_EQ(asked, 60);
  EXPECT_THROW(Made(clients, "data = \"fresh\"\nrounds = 3\ncohort = 30"), Error);
}

TEST(FedMd, ClientsWithoutAPairAreNotAsked) {
  Clients clients = two_clusters(30, 10);
  clients.push_back({{{1, 0, 0}}, {100}, 0});
  const Made made(clients);
  EXPECT_EQ(made.run.federation.touched[60], 0);
  ASSERT_EQ(made.of_kind("no-pairs").size(), 1u);
  EXPECT_EQ(made.of_kind("no-pairs")[0].numbers[0].second, 1);
  EXPECT_THROW(Made({{{{1, 0, 0}}, {1}, 0}}), Error) << "nobody has a pair";
}

TEST(FedMd, AnAnchorWithNumbersThatAreNotFiniteIsLostAndAClientLeftOut) {
  Clients clients = two_clusters(30, 24);
  clients[4].y[0] = std::nan("");
  const Made made(clients, "anchors = \"ids\"\nids = [0, 1, 2, 3, 4]");
  EXPECT_LT(made.error(), 0.75);
  ASSERT_EQ(made.of_kind("anchor-lost").size(), 1u);
  EXPECT_EQ(made.of_kind("anchor-lost")[0].client, ClientId{4});
  EXPECT_FALSE(made.of_kind("rejected").empty());
}

TEST(FedMd, OneModelAndOneClient) {
  const Clients one = {{{{1, 0}, {0, 1}, {1, 1}, {2, 1}}, {1, 2, 3, 4}, 0}};
  TinyRun run(one, {.algorithm = "fedavg", .clusters = 1});
  const Start start = make_plugin<Init>("fedmd")->make({*run.fleet, *run.setting, *run.algorithm, nullptr});
  ASSERT_EQ(start.models.size(), 1u);
  EXPECT_TRUE(std::isfinite(start.models[0][0]));
}

TEST(FedMd, SameBitsThroughAScramblingNetworkAndAtAnyNumberOfThreads) {
  const Clients clients = two_clusters(12, 5);
  const Made one(clients, "rounds = 3", {.fleet = {"threads", {.block = 1}, 1}});
  const Made three(clients, "rounds = 3", {.fleet = {"threads", {.block = 4}, 3}});
  const Made scrambled(clients, "rounds = 3", {.fleet = {"scramble", {.block = 1}, 1}});
  EXPECT_EQ(one.start.models, three.start.models);
  EXPECT_EQ(one.start.models, scrambled.start.models);
}

TEST(FedMd, StartsAnyMethod) {
  for (const std::string& method : Registry<Algorithm>::instance().names()) {
    SCOPED_TRACE(method);
    const std::string text = R"(
[data]
source = "mixed-linear"
clusters = 2
dimension = 3
[clients]
count = 20
samples = 8
[model]
kind = "linear"
intercept = false
[local]
solver = "gd"
[rounds]
participation = 0.5
[clusters]
count = 2
init = "fedmd"
[clusters.fedmd]
rounds = 3
[algorithm]
kind = ")" + method + "\"\n";
    Problems problems;
    const Config config = read_config(parse_toml(text, "test"), "test", problems);
    problems.raise_if_any();
    Session session(config, "", 1, "");
    session.start();
    session.round(1);
    session.round(2);
    for (const Vec& model : session.algorithm().offer().models) {
      for (const double value : model) EXPECT_TRUE(std::isfinite(value));
    }
    EXPECT_GT(session.fleet().traffic().up, 0u);
  }
}

}  // namespace
}  // namespace coterie::fedmd_test
