#include <gtest/gtest.h>

#include <algorithm>

#include "models/bound_model.h"
#include "support/given_federation.h"
#include "support/tiny_federation.h"

namespace coterie::mixture_start_test {
namespace {

// Clients of 30 rows whose slopes are +-1 in turn; columns of very different units. The last has three rows.
std::vector<TinyFederation::Client> clients() {
  std::vector<TinyFederation::Client> out;
  for (std::uint32_t i = 0; i < 11; ++i) {
    Stream stream(3, {Purpose::test, 0, 0, i});
    TinyFederation::Client one;
    for (int j = 0; j < (i == 10 ? 3 : 30); ++j) {
      one.x.push_back({stream.normal(), 50 * stream.normal()});
      one.y.push_back((i % 2 == 0 ? 1 : -1) * one.x.back()[0] + 0.02 * one.x.back()[1] +
                      0.5 * stream.normal());
    }
    out.push_back(std::move(one));
  }
  return out;
}

struct Made {
  explicit Made(std::size_t clusters, const std::string& toml = "")
      : run(clients(), {.algorithm = "ifca", .clusters = clusters}) {
    start = make_plugin<Init>("mixture", toml)
                ->make({*run.fleet, *run.setting, *run.algorithm, [&](std::uint32_t) { ++logged; }});
  }
  TinyRun run;
  Start start;
  int logged = 0;
};

TEST(MixtureStart, GroupsClientsByTheirEstimates) {
  const Made made(2);
  ASSERT_EQ(made.start.models.size(), 2u);
  const std::uint32_t even = made.start.memberships[0];
  for (std::size_t i = 0; i < 10; ++i)
    EXPECT_EQ(made.start.memberships[i], i % 2 == 0 ? even : 1 - even) << i;
  EXPECT_EQ(made.start.memberships[10], kUnknownCluster) << "three rows are too few";
  EXPECT_NEAR(made.start.models[even][0], 1, 0.2);
  EXPECT_NEAR(made.start.models[1 - even][0], -1, 0.2);
  EXPECT_NEAR(made.start.models[even][1], 0.02, 0.01);
  EXPECT_EQ(made.logged, 1);
}

// Least squares over the rows of five clients.
TEST(MixtureStart, ModelsMayBeExact) {
  const Made made(2, "models = \"exact\"");
  const std::uint32_t even = made.start.memberships[0];
  const auto data = clients();
  double a = 0, b = 0, d = 0, s = 0, t = 0;
  for (std::size_t i = 0; i < 10; i += 2) {
    for (std::size_t j = 0; j < data[i].y.size(); ++j) {
      const double x = data[i].x[j][0], z = data[i].x[j][1], y = data[i].y[j];
      a += x * x, b += x * z, d += z * z, s += x * y, t += z * y;
    }
  }
  EXPECT_NEAR(made.start.models[even][0], (d * s - b * t) / (a * d - b * b), 1e-8);
  EXPECT_NEAR(made.start.models[even][1], (a * t - b * s) / (a * d - b * b), 1e-8);
}

TEST(MixtureStart, OneClusterIsTheOneModelOfEverybody) {
  const Made made(1);
  ASSERT_EQ(made.start.models.size(), 1u);
  EXPECT_TRUE(std::all_of(made.start.memberships.begin(), made.start.memberships.end(),
                          [](auto k) { return k == 0; }));
}

TEST(MixtureStart, NeedsClientsAndAConvexModel) {
  EXPECT_THROW(Made(11), Error);
  MethodRun<GivenFederation> run(
      mixture(regression(2), {20, 20, 20}, 1, 2),
      {.algorithm = "ifca", .model = "mlp", .model_toml = "hidden = [2]", .clusters = 2});
  const auto start = make_plugin<Init>("mixture");
  EXPECT_THROW(start->make({*run.fleet, *run.setting, *run.algorithm, {}}), Error);
}

}  // namespace
}  // namespace coterie::mixture_start_test
