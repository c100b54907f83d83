#include <gtest/gtest.h>

#include "coterie/methods/train.h"
#include "support/tiny_federation.h"

namespace coterie::local_erm_test {
namespace {

// The model by which a client predicts.
double own_model_of(TinyRun& run, ClientId client) {
  struct Reply {
    Vec model;
    void fields(Archive& a) { a(model); }
  };
  Job<TrainNote, Reply> job("look", [&](const Shelf& shelf, const TrainNote&, ClientView& view) {
    Vec weights = run.algorithm->settle(shelf, view);
    EXPECT_EQ(run.algorithm->predict(shelf, weights, view, Part::test).outputs[0],
              run.algorithm->model_of(shelf, weights, view).values()[0]);
    return Reply{run.algorithm->model_of(shelf, weights, view).values()};
  });
  const Lent lent(*run.program, job);
  Collect<Reply, double> out([](Reply& r) { return r.model[0]; });
  std::vector<ClientId> one{client};
  auto note = [&](ClientId i) { return TrainNote{run.algorithm->offer_items(i)}; };
  run.fleet->ask_eval(job, one, Shelf(run.models(), Precision::f64), note, {&out});
  return out.items[0].second;
}

// The first row of each has x = 1, so that a prediction is the model. The second fits 1/5 (3 + 2 * 6) = 3.
const std::vector<TinyFederation::Client> kThree = {
    {{{1}}, {2}, 0}, {{{1}, {2}}, {3, 6}, 0}, {{{1}}, {8}, 0}};

TEST(LocalErm, EveryClientFitsItsOwnRows) {
  TinyRun run(kThree, {.algorithm = "local-erm"});
  run.start({{0.5}});
  run.round({0, 1});
  EXPECT_NEAR(own_model_of(run, 0), 2, 1e-14);
  EXPECT_NEAR(own_model_of(run, 1), 3, 1e-14);
  EXPECT_EQ(own_model_of(run, 2), 0.5) << "never asked: the common start";
  run.round({0, 1, 2});
  EXPECT_NEAR(own_model_of(run, 0), 2, 1e-14) << "another round changes nothing";
  EXPECT_NEAR(own_model_of(run, 2), 8, 1e-14);
}

// Other samples mean other models: nobody is ever done.
TEST(LocalErm, GoesOnWhileClientsAreDealtOtherSamples) {
  TinyRun run(kThree, {.algorithm = "local-erm"});
  run.setting->redealt = true;
  run.start({{0.5}});
  run.round({0, 1, 2});
  EXPECT_FALSE(run.algorithm->finished());
  run.round({0, 1});
  EXPECT_FALSE(run.algorithm->finished());
  run.setting->redealt = false;
  run.round({0, 1});
  EXPECT_TRUE(run.algorithm->finished());
}

TEST(LocalErm, SendsNoModel) {
  TinyRun run(kThree, {.algorithm = "local-erm"});
  run.start({{0.0}});
  run.round({0, 1, 2});
  EXPECT_EQ(run.fleet->traffic().down, 0u);
  EXPECT_EQ(run.fleet->traffic().up, 3u * 9) << "a loss, and whether it is exact";
}

}  // namespace
}  // namespace coterie::local_erm_test
