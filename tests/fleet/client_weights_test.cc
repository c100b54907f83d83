// Weights that the data gives to rows: a row of weight 2 counts as much as two such rows.
#include <gtest/gtest.h>

#include "coterie/methods/choose.h"
#include "coterie/methods/erm.h"
#include "support/tiny_federation.h"

namespace coterie::client_weights_test {
namespace {

// The rows of a federation, with these weights at every client.
class Weighed : public Shards {
 public:
  Weighed(const Shards& shards, Vec weights) : shards_(shards), weights_(std::move(weights)) {}
  std::shared_ptr<const Samples> samples(ClientId client, Part part, std::uint32_t round) const override {
    auto own = std::make_shared<Samples>(*shards_.samples(client, part, round));
    own->weights = weights_;
    return own;
  }

 private:
  const Shards& shards_;
  Vec weights_;
};

// Rows (1, 0) -> 3 and (0, 2) -> 4, with weights 1 and 3; and the same with the second row three times.
struct TwoWays {
  TinyRun run{{{{{1, 0}, {0, 2}}, {3, 4}, 0}}, {}};
  TinyRun repeated{{{{{1, 0}, {0, 2}, {0, 2}, {0, 2}}, {3, 4, 4, 4}, 0}}, {}};
  Weighed weighed{run.federation, {10, 30}};
  Engine engine = run.program->engine(weighed);
  ClientView view{engine, 0, {Purpose::work, 1, 0}, {}};
  ClientView longer{*repeated.engine, 0, {Purpose::work, 1, 0}, {}};
};

TEST(ClientWeights, CountLikeRepeatedRows) {
  TwoWays two;
  const Shared w = two.view.to_shared({1, 2});
  // Residuals -2 and 0: losses 2 and 0; with weights 0.5 and 1.5 the mean is 0.5.
  EXPECT_EQ(two.view.losses(w), (Vec{2, 0}));
  EXPECT_EQ(two.view.mean_loss(w), 0.5);
  const Shared v = two.view.to_shared({1, 1});
  EXPECT_EQ(two.view.mean_loss(v), two.longer.mean_loss(v));
  EXPECT_EQ(Vec(two.view.gradient(v)), Vec(two.longer.gradient(v)));
  const Vec trained = two.view.train(v), as_rows = two.longer.train(v);
  for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(trained[j], as_rows[j], 1e-14);
  EXPECT_EQ(two.view.count(Part::train), 2u) << "clients count by their rows";
}

TEST(ClientWeights, MeetWeightsOfTheMethod) {
  TwoWays two;
  const Shared w = two.view.to_shared({1, 1});
  const Vec only_second = {0, 1};
  // 1.5 * (-2) * 2 / 2 rows = -3.
  const Vec trained = two.view.train(w, {.weights = only_second});
  EXPECT_EQ(trained[0], 1);
  EXPECT_NEAR(trained[1], 1 + 0.1 * 3, 1e-14);
}

TEST(ClientWeights, DecideAChoice) {
  TwoWays two;
  // The first model fits the first row, the second model the second row, which counts more.
  Shelf models;
  models.add(two.view.to_shared({3, 1}));  // losses 0 and 2
  models.add(two.view.to_shared({0, 2}));  // losses 4.5 and 0
  const std::uint32_t guess = kNoGuess;
  // Weights 0.5 and 1.5: 3 against 2.25. Without them it would be 2 against 4.5.
  const Choice choice = choose({&two.view, 1}, {&models, 1}, {&guess, 1})[0];
  EXPECT_EQ(choice.model, 1u);
  EXPECT_EQ(choice.loss, 2.25 / 2);
}

TEST(ClientWeights, AllAlikeAreNone) {
  TwoWays two;
  const Weighed same(two.run.federation, {7, 7});
  const Engine engine = two.run.program->engine(same);
  ClientView view(engine, 0, {Purpose::work, 1, 0}, {});
  EXPECT_TRUE(view.row_weights(Part::train).empty());
  EXPECT_TRUE(view.batch<double>(Part::train).weights.empty());
}

TEST(ClientWeights, MoveAnExactMinimum) {
  // One feature, y = 0 and 4: the minimum is the weighted mean, 3.
  TinyRun run({{{{1}, {1}}, {0, 4}, 0}}, {});
  const Weighed weighed(run.federation, {1, 3});
  const Engine engine = run.program->engine(weighed);
  ClientView view(engine, 0, {Purpose::work, 1, 0}, {});
  const Erm erm = solve_erm(view.model(), view.batch<double>(Part::train), {}, Vec{0});
  EXPECT_NEAR(erm.model[0], 3, 1e-6);
}

}  // namespace
}  // namespace coterie::client_weights_test
