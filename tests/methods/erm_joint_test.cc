// What the algorithm cluster-oracle does not show: the exchange behind it.
#include <gtest/gtest.h>

#include <cmath>

#include "coterie/methods/erm.h"
#include "coterie/methods/slots.h"
#include "support/tiny_federation.h"

namespace coterie::erm_joint_test {
namespace {

// One row each: x = 1 and y = 2; x = 2 and y = 2; x = 1 and y = 9, of another cluster.
const std::vector<TinyFederation::Client> kThree = {{{{1}}, {2}, 0}, {{{2}}, {2}, 0}, {{{1}}, {9}, 1}};

TEST(JointErm, AsksForAValueAndAGradientOfEachClient) {
  TinyRun run(kThree, {.algorithm = "cluster-oracle"});
  Collect<SlopeReply, SlopeReply> replies([](SlopeReply& reply) { return std::move(reply); });
  auto note = [](ClientId) { return SlopeNote{Items::only({0}), 0}; };
  std::vector<ClientId> two{0, 1};
  run.fleet->ask(slope_job(), two, Shelf({{3.0}}, Precision::f64), note, {&replies});
  ASSERT_EQ(replies.items.size(), 2u);
  // Half of the squared errors 1 and 16, and their slopes x (x w - y).
  EXPECT_DOUBLE_EQ(replies.items[0].second.value, 0.5);
  EXPECT_DOUBLE_EQ(Vec(replies.items[0].second.gradient)[0], 1);
  EXPECT_DOUBLE_EQ(replies.items[1].second.value, 8);
  EXPECT_DOUBLE_EQ(Vec(replies.items[1].second.gradient)[0], 8);
  EXPECT_EQ(run.fleet->traffic().down, 2u * 8);
}

TEST(JointErm, LeavesOutForGoodWhoCannotAnswer) {
  auto clients = kThree;
  clients[1].y[0] = std::nan("");
  TinyRun run(clients, {.algorithm = "cluster-oracle"});
  Erm erm = solve_joint_erm(*run.fleet, *run.setting, {0, 1, 2}, {}, {0.0});
  EXPECT_NEAR(erm.model[0], 5.5, 1e-7);
  EXPECT_EQ(run.fleet->take_events().size(), 1u);
}

// Client 1 agrees with zero, where the search begins, but beyond it sends slopes of 1e6 w, which the limit
// refuses: the minimum is that of client 0 alone, whenever client 1 might have answered again.
TEST(JointErm, BeginsAgainWithoutAClientThatStopsAnswering) {
  TinyRun run({{{{1}}, {2}, 0}, {{{1000}}, {0}, 0}}, {.algorithm = "cluster-oracle"});
  run.aggregate.limit = 100;
  const Erm erm = solve_joint_erm(*run.fleet, *run.setting, {0, 1}, {}, {0.0});
  EXPECT_TRUE(erm.converged);
  EXPECT_NEAR(erm.model[0], 2, 1e-7);
  std::size_t left = 0;
  for (const Event& e : run.fleet->take_events()) left += e.kind == "left" ? 1 : 0;
  EXPECT_EQ(left, 1u);
}

TEST(JointErm, OfNobodyIsTheStart) {
  auto clients = kThree;
  clients[0].y[0] = clients[1].y[0] = std::nan("");
  TinyRun::Choices choices{.algorithm = "cluster-oracle"};
  choices.fleet.options.quorum = 0;
  TinyRun run(clients, choices);
  std::vector<Vec> models = {{4.0}, {5.0}};
  solve_clusters(*run.fleet, *run.setting, {{0, 1}, {2}}, {}, models);
  EXPECT_EQ(models[0][0], 4);
  EXPECT_NEAR(models[1][0], 9, 1e-7);
  std::size_t told = 0;
  for (const Event& e : run.fleet->take_events()) told += e.kind == "no-answer" ? 1 : 0;
  EXPECT_EQ(told, 1u);
}

TEST(JointErm, MeetsALooserToleranceAtFloatPrecision) {
  TinyRun run({{{{0.1, 0.7}, {0.3, -0.2}}, {1.7, 0.4}, 0}, {{{0.9, 0.35}}, {-1.1}, 0}},
              {.algorithm = "cluster-oracle", .precision = Precision::f32});
  Erm erm = solve_joint_erm(*run.fleet, *run.setting, {0, 1}, {}, {0.0, 0.0});
  EXPECT_TRUE(erm.converged);
  // X'X and X'y by hand: [[.91, .325], [.325, .6525]] and (-.7, .725).
  const double determinant = 0.91 * 0.6525 - 0.325 * 0.325;
  EXPECT_NEAR(erm.model[0], (-0.7 * 0.6525 - 0.325 * 0.725) / determinant, 1e-3);
  EXPECT_NEAR(erm.model[1], (0.91 * 0.725 + 0.325 * 0.7) / determinant, 1e-3);
}

}  // namespace
}  // namespace coterie::erm_joint_test
