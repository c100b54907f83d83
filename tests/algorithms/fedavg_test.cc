#include <gtest/gtest.h>

#include "coterie/methods/train.h"
#include "support/small_session.h"
#include "support/tiny_federation.h"

namespace coterie::fedavg_test {
namespace {

// One client with the sample x = 1, y = 2; another with x = 1, y = 4 three times.
const std::vector<TinyFederation::Client> kTwo = {{{{1}}, {2}, 0}, {{{1}, {1}, {1}}, {4, 4, 4}, 1}};

// One step of size 0.1 from 0 on (w - y)^2 / 2 goes to 0.1 y: 0.2 and 0.4.
TEST(FedAvg, AveragesBySamples) {
  TinyRun run(kTwo, {});
  run.start({{0.0}});
  run.round({0, 1});
  EXPECT_NEAR(run.models()[0][0], (1 * 0.2 + 3 * 0.4) / 4, 1e-14);
}

TEST(FedAvg, AveragesUniformlyWhenTold) {
  TinyRun run(kTwo, {.weights = "uniform"});
  run.start({{0.0}});
  run.round({0, 1});
  EXPECT_NEAR(run.models()[0][0], (0.2 + 0.4) / 2, 1e-14);
}

TEST(FedAvg, TakesTheCohortOnly) {
  TinyRun run(kTwo, {});
  run.start({{0.0}});
  run.round({1});
  EXPECT_NEAR(run.models()[0][0], 0.4, 1e-14);
}

TEST(FedAvg, SendsOneModelDownAndOneUp) {
  TinyRun run(kTwo, {});
  run.start({{0.0}});
  run.round({0, 1});
  EXPECT_EQ(run.fleet->traffic().down, 2u * 8);
  EXPECT_EQ(run.fleet->traffic().up, 2u * 8);
}

TEST(FedAvg, FineTunesEveryClientAfterTheLastAverage) {
  TinyRun run(kTwo, {.algorithm_toml = "fine_tune = 2"});
  EXPECT_TRUE(run.algorithm->personal());
  EXPECT_TRUE(run.algorithm->plans_ahead());
  run.start({{0.0}});
  run.round({0, 1});
  EXPECT_TRUE(run.algorithm->offer_items(0).has(0)) << "not yet";
  const double common = run.models()[0][0];
  run.fleet->begin_round(100);
  run.algorithm->round(*run.fleet, {100, 100, {1}});
  const double last = common + 0.1 * (4 - common);
  EXPECT_NEAR(run.models()[0][0], last, 1e-14) << "the average stays the cohort's";
  Job<TrainNote, TrainReply> look("look", [&](const Shelf& shelf, const TrainNote&, ClientView& view) {
    return TrainReply{Numbers(run.algorithm->model_of(shelf, {1.0}, view).values())};
  });
  const Lent lent(*run.program, look);
  Collect<TrainReply, double> own([](TrainReply& reply) { return Vec(reply.model)[0]; });
  auto note = [&](ClientId i) { return TrainNote{run.algorithm->offer_items(i)}; };
  run.fleet->ask_eval(look, run.fleet->everyone(), Shelf(run.models(), Precision::f64), note, {&own});
  // Two steps of 0.1 towards y leave 0.81 of the distance.
  EXPECT_NEAR(own.items[0].second, 2 + 0.81 * (last - 2), 1e-14) << "asked or not";
  EXPECT_NEAR(own.items[1].second, 4 + 0.81 * (last - 4), 1e-14);
  EXPECT_EQ(run.algorithm->found_clusters(), (std::vector<std::uint32_t>{0, 0}));
}

TEST(FedAvg, FineTunedGivesTheSameBitsWhateverTheFleetAndWhenResumed) {
  const SmallChoice choice{.algorithm = "fedavg", .options = "fine_tune = 2\n"};
  const auto federation = SmallSession({"fedavg"})->shared_federation();
  const SmallEnd one = small_run(choice, federation);
  EXPECT_NE(one, small_run({"fedavg"}, federation));
  EXPECT_EQ(one.models, small_run({"fedavg"}, federation).models);
  EXPECT_EQ(resumed_run(choice, federation), one);
  SmallChoice other = choice;
  other.fleet = "scramble";
  EXPECT_EQ(small_run(other, federation), one);
}

}  // namespace
}  // namespace coterie::fedavg_test
