#include "coterie/client.h"

#include <gtest/gtest.h>

#include "support/tiny_federation.h"

namespace coterie::client_test {
namespace {

const std::vector<TinyFederation::Client> kOne = {{{{1, 0}, {0, 2}}, {3, 4}, 0}, {{{1, 1}}, {5}, 0}};

ClientView view_of(TinyRun& run, ClientId id, Bytes state = {}) {
  return ClientView(*run.engine, id, {Purpose::work, 1, 0}, std::move(state));
}

TEST(ClientView, ComputesOnItsOwnData) {
  TinyRun run(kOne, {});
  ClientView view = view_of(run, 0);
  Shared w = view.to_shared({1, 1});
  // Residuals 1 - 3 and 2 - 4; losses half their squares; gradient the mean of residual times row.
  EXPECT_EQ(view.losses(w), (Vec{2, 2}));
  EXPECT_EQ(view.mean_loss(w), 2);
  EXPECT_EQ(Vec(view.gradient(w)), (Vec{-1, -2}));
  view.predict({&w, 1}, Part::test, [](std::size_t, std::size_t row, auto outputs, auto losses) {
    EXPECT_EQ(row, 0u);
    EXPECT_EQ(Vec(outputs.begin(), outputs.end()), (Vec{1, 2}));
    EXPECT_EQ(Vec(losses.begin(), losses.end()), (Vec{2, 2}));
  });
  EXPECT_EQ(Vec(view.train(w)), (Vec{1 + 0.1, 1 + 0.2}));
}

TEST(ClientView, RowWeightsAndProximalCentreReachTheSolver) {
  TinyRun run(kOne, {});
  ClientView view = view_of(run, 0);
  Shared w = view.to_shared({1, 1});
  Shared centre = view.to_shared({0, 0});
  Vec weights = {0, 2};
  Vec trained = view.train(w, {.prox = 1, .centre = &centre, .weights = weights, .slot = 0});
  // Gradient (0, -4)  (2 * -2 * 2 / 2 rows)  plus (w - centre).
  EXPECT_NEAR(trained[0], 1 - 0.1 * 1, 1e-14);
  EXPECT_NEAR(trained[1], 1 - 0.1 * (-4 + 1), 1e-14);
}

struct Counter {
  std::uint32_t value = 0;
  void fields(Archive& a) { a(value); }
};

TEST(ClientView, StateAndMomentumTravelTogether) {
  TinyRun run(kOne, {.solver_toml = "rate = 0.1\nsteps = 1\nmomentum = 0.5\nmomentum_survives = true"});
  ClientView first = view_of(run, 0);
  first.state<Counter>().value = 9;
  Vec once = first.train(first.to_shared({1, 1}));
  Bytes kept = first.final_state();
  ClientView second = view_of(run, 0, kept);
  EXPECT_EQ(second.state<Counter>().value, 9u);
  // The same gradient again, but with half of the last step's velocity on top.
  Vec twice = second.train(second.to_shared({1, 1}));
  EXPECT_NEAR(twice[0] - 1, 1.5 * (once[0] - 1), 1e-14);
  // A second model has a momentum of its own.
  EXPECT_EQ(
      Vec(second.train(second.to_shared({1, 1}), {.prox = 0, .centre = nullptr, .weights = {}, .slot = 1})),
      once);
}

TEST(ClientView, WithoutStateKeepsNothing) {
  TinyRun run(kOne, {});
  ClientView view = view_of(run, 0);
  view.train(view.to_shared({1, 1}));
  EXPECT_TRUE(view.final_state().empty());
}

TEST(ClientView, ABatchIsSomeOfItsRowsInTheirOrder) {
  TinyRun run({{{{1}, {2}, {3}, {4}, {5}}, {10, 20, 30, 40, 50}, 0}}, {});
  ClientView view = view_of(run, 0);
  view.losses(view.to_shared({1}));  // whatever was made of all rows is made again
  view.use_batch(3);
  const Batch<double> rows = view.batch<double>(Part::train);
  ASSERT_EQ(rows.rows, 3u);
  EXPECT_TRUE(rows.x[0] < rows.x[1] && rows.x[1] < rows.x[2]);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(rows.y[i], 10 * rows.x[i]);
  EXPECT_EQ(view.count(Part::test), 5u) << "only the training part is drawn from";

  ClientView whole = view_of(run, 0);
  whole.use_batch(0);
  whole.use_batch(5);
  EXPECT_EQ(whole.count(Part::train), 5u);
  EXPECT_EQ(whole.stream().bits32(), view_of(run, 0).stream().bits32()) << "nothing was drawn";
}

TEST(ClientView, OnAnothersDataKeepsItsState) {
  TinyRun run(kOne, {});
  ClientView view = view_of(run, 0);
  view.state<Counter>().value = 4;
  ClientView there = view.on_data_of(1);
  EXPECT_EQ(there.state<Counter>().value, 4u);
  EXPECT_EQ(there.count(Part::train), 1u);
}

TEST(Items, NamesWhatIsSent) {
  EXPECT_TRUE(Items::all().has(7));
  EXPECT_FALSE(Items::none().has(0));
  EXPECT_TRUE(Items::only({2}).has(2));
  EXPECT_FALSE(Items::only({2}).has(1));
}

}  // namespace
}  // namespace coterie::client_test
