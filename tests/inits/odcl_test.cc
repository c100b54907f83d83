#include <gtest/gtest.h>

#include <cmath>

#include "support/tiny_federation.h"

namespace coterie::odcl_test {
namespace {

// Each client has the sample x = 1: its own model is y.
struct Made {
  Made(const Vec& targets, std::size_t clusters, const std::string& toml = "",
       const std::string& algorithm = "ifca")
      : run(clients_at(targets), {.algorithm = algorithm, .clusters = clusters}) {
    start =
        make_plugin<Init>("odcl", toml)->make({*run.fleet, *run.setting, *run.algorithm, [&](std::uint32_t) {
                                                 ++logged;
                                               }});
  }
  static std::vector<TinyFederation::Client> clients_at(const Vec& targets) {
    std::vector<TinyFederation::Client> clients;
    for (double y : targets) clients.push_back({{{1}}, {y}, 0});
    return clients;
  }
  TinyRun run;
  Start start;
  int logged = 0;
};

TEST(OdclStart, BeginsWithMeansAndMemberships) {
  Made made({1, 9, 2, 10, std::nan("")}, 2);
  ASSERT_EQ(made.start.models.size(), 2u);
  EXPECT_NEAR(made.start.models[0][0], 1.5, 1e-14);
  EXPECT_NEAR(made.start.models[1][0], 9.5, 1e-14);
  EXPECT_EQ(made.start.memberships, (std::vector<std::uint32_t>{0, 1, 0, 1, kUnknownCluster}));
  EXPECT_EQ(made.logged, 1);
}

TEST(OdclStart, TheMethodGoesOnWithAsManyClustersAsWereFound) {
  Made made({1, 2, 9, 10, 11}, 4, "clustering = \"convex\"\nconvex = {rule = \"given\", lambda = 1.0}");
  EXPECT_EQ(made.start.models.size(), 2u);
  const std::vector<Event> events = made.run.fleet->take_events();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[1].kind, "cluster-count");
  made.run.algorithm->start(*made.run.fleet, made.start);
  made.run.round({0, 1, 2, 3, 4});
  EXPECT_EQ(made.run.models().size(), 2u);
}

TEST(OdclStart, AMethodOfOneModelIsNotGivenSeveral) {
  EXPECT_THROW(Made({1, 9}, 1, "count = \"silhouette\"", "fedavg"), Error);
  EXPECT_EQ(Made({1, 9}, 1, "", "fedavg").start.models, (std::vector<Vec>{{5.0}}));
}

TEST(OdclStart, IsNotToldTheTruth) {
  EXPECT_THROW(make_plugin<Init>("odcl", "clustering = \"convex\"\nconvex = {rule = \"interval\"}"), Error);
}

}  // namespace
}  // namespace coterie::odcl_test
