// IFCA over many rounds against its definition: every model on every row of every client, one client at a
// time.
#include <gtest/gtest.h>

#include <cmath>

#include "coterie/algorithm.h"
#include "coterie/methods/choose.h"
#include "coterie/methods/slots.h"
#include "fleet/fleets.h"
#include "models/bound_model.h"
#include "support/given_federation.h"
#include "support/method_run.h"

namespace coterie::ifca_long_test {
namespace {

const std::vector<std::size_t> kCounts = {12, 30, 0, 25, 1, 17, 40, 9, 33, 8, 21, 16, 5};

// A run on a mixture of three groups.
struct Run : MethodRun<GivenFederation> {
  Run(const Shape& shape, const std::string& kind, const std::string& toml, const std::string& solver_toml,
      Precision precision, std::int64_t block)
      : MethodRun(mixture(shape, kCounts, 3, 5),
                  {"ifca", "", "", kind, toml, "gd", solver_toml, 3, precision},
                  {"threads", {.block = block}, 1}) {}
  std::vector<Vec> start_models() const {
    std::vector<Vec> models(3);
    for (std::uint32_t k = 0; k < 3; ++k) {
      Stream stream(1, {Purpose::init, k});
      model->init(models[k], stream);
    }
    return models;
  }
  ClientView view(ClientId id, std::uint32_t round) const {
    return ClientView(*engine, id, {Purpose::work, round, 0}, {});
  }
};

std::vector<ClientId> everyone() {
  std::vector<ClientId> all;
  for (ClientId i = 0; i < kCounts.size(); ++i) all.push_back(i);
  return all;
}

void follow(const Shape& shape, const std::string& kind, const std::string& toml, const std::string& solver,
            Precision precision) {
  SCOPED_TRACE(kind);
  Run one(shape, kind, toml, solver, precision, 1), eight(shape, kind, toml, solver, precision, 8);
  std::vector<Vec> models = one.start_models();
  one.algorithm->start(*one.fleet, {models, {}});
  eight.algorithm->start(*eight.fleet, {models, {}});
  double total = 0;
  for (const std::size_t count : kCounts) total += static_cast<double>(count);
  std::vector<std::uint32_t> choices(kCounts.size(), 0);
  std::size_t changes = 0;
  for (std::uint32_t round = 1; round <= 200; ++round) {
    const Shelf shelf(models, precision);
    Sums sums(3, one.model->size(), total, one.aggregate.limit);
    sums.open(1);
    std::vector<ClientView> views;
    std::vector<std::uint32_t> expected;
    for (ClientId i = 0; i < kCounts.size(); ++i) {
      ClientView view = one.view(i, round);
      Vec losses;
      for (std::size_t k = 0; k < 3; ++k) losses.push_back(view.mean_loss(shelf[k]));
      expected.push_back(static_cast<std::uint32_t>(lowest(losses)));
      changes += expected.back() != choices[i] ? 1 : 0;
      sums.add(0, i, expected.back(), static_cast<double>(kCounts[i]), view.train(shelf[expected.back()]));
      views.push_back(one.view(i, round));
    }
    sums.close();
    const std::vector<Shelf> shelves(kCounts.size(), shelf);
    const std::vector<Choice> lazy = choose(views, shelves, choices);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(lazy[i].model, expected[i]) << "round " << round << ", client " << i;
    }
    for (std::size_t k = 0; k < 3; ++k) models[k] = sums.mean_or(k, models[k]);
    choices = expected;

    for (Run* run : {&one, &eight}) {
      run->fleet->begin_round(round);
      run->algorithm->round(*run->fleet, {round, 200, everyone()});
    }
    ASSERT_EQ(one.algorithm->offer().models, models) << "round " << round;
    ASSERT_EQ(eight.algorithm->offer().models, models) << "round " << round;
  }
  EXPECT_GT(changes, 5u);  // there was something to choose
}

TEST(IfcaLong, LinearFollowsTheDefinition) {
  follow(regression(8), "linear", "", "rate = 0.1\nsteps = 2", Precision::f64);
  follow(regression(8), "linear", "", "rate = 0.1\nsteps = 2", Precision::f32);
}

TEST(IfcaLong, SoftmaxFollowsTheDefinition) {
  follow(classification(30, 4), "softmax", "", "rate = 0.2\nsteps = 5\nmomentum = 0.5", Precision::f32);
}

TEST(IfcaLong, MlpFollowsTheDefinition) {
  follow(classification(12, 3), "mlp", "hidden = [16]", "rate = 0.2\nsteps = 5", Precision::f32);
  follow(classification(12, 3), "mlp", "hidden = [8, 6]", "rate = 0.2\nsteps = 5", Precision::f64);
}

}  // namespace
}  // namespace coterie::ifca_long_test
