// Choices with partial sums against the evaluation of all models on all rows, to the bit.
#include "coterie/methods/choose.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "coterie/methods/first_layer.h"
#include "coterie/solver.h"
#include "data/penalty.h"
#include "math/gemm.h"
#include "models/bound_model.h"
#include "support/given_federation.h"
#include "support/tiny_federation.h"

namespace coterie::choose_test {
namespace {

struct World {
  GivenFederation federation;
  std::unique_ptr<Model> model;
  std::unique_ptr<Solver> solver = make_plugin<Solver>("gd");
  Engine engine;

  World(GivenFederation given, const std::string& kind, const std::string& toml, Precision precision)
      : federation(std::move(given)),
        model(bound_model(kind, toml, federation.shape())),
        engine{federation, *model, *solver, precision, 1} {}
  ClientView view(ClientId id) const { return ClientView(engine, id, {Purpose::work, 1, 0}, {}); }
};

Choice by_definition(ClientView view, const Shelf& shelf) {
  Choice best;
  bool found = false;
  double lowest = 0;
  std::size_t n = view.count(Part::train);
  for (std::uint32_t k = 0; k < shelf.size(); ++k) {
    if (!shelf.has(k)) continue;
    const double term = view.precision() == Precision::f32 ? penalty(view.model(), shelf[k].as<float>())
                                                           : penalty(view.model(), shelf[k].as<double>());
    const double base = n == 0 ? 0 : static_cast<double>(n) * term;
    double sum = base;
    for (const double loss : view.losses(shelf[k])) sum += loss;
    if (!std::isfinite(sum) || (found && sum >= lowest)) continue;
    found = true;
    lowest = sum;
    best = {k, n == 0 ? 0 : (sum - base) / static_cast<double>(n)};
  }
  if (found) return best;
  for (std::uint32_t k = 0;; ++k) {
    if (shelf.has(k)) return {k, std::nan("")};
  }
}

// Random models near one another, some of them equal, some not finite.
Shelf models_for(const Model& model, std::size_t count, Precision precision, Stream& stream) {
  std::vector<Vec> models;
  Vec base;
  model.init(base, stream);
  for (std::size_t k = 0; k < count; ++k) {
    Vec next = base;
    const double spread = stream.bernoulli(0.5) ? 1 : 0.01;
    for (double& value : next) value += spread * stream.normal();
    const auto fate = stream.below(8);
    if (fate == 0 && k > 0) next = models[stream.below(k)];
    if (fate == 1) next[stream.below(next.size())] = std::nan("");
    if (fate == 2) next[stream.below(next.size())] = std::numeric_limits<double>::infinity();
    if (fate == 3) std::fill(next.begin(), next.end(), 1e30);  // its square is no float
    models.push_back(std::move(next));
  }
  return Shelf(models, precision);
}

template <class Real>
void expect_sums(ClientView& view, const World& world, const Shared& w) {
  ClientView fresh = world.view(view.id());
  const std::span<const Real> kept = view.first_sums<Real>(w);
  const FirstLayer& first = *world.model->first_layer();
  const Batch<Real> data = fresh.batch<Real>(Part::train);
  std::vector<Real> sums(data.rows * first.outputs());
  multiply(Matrix<const Real>(first.first_inputs(data), data.rows, first.inputs()),
           Matrix<const Real>(w.as<Real>().data(), first.inputs(), first.outputs()),
           Matrix<Real>(sums.data(), data.rows, first.outputs()));
  ASSERT_EQ(kept.size(), sums.size());
  for (std::size_t j = 0; j < sums.size(); ++j) {
    ASSERT_TRUE(kept[j] == sums[j] || (std::isnan(kept[j]) && std::isnan(sums[j])));
  }
}

struct Kind {
  std::string name, toml;
  Shape shape;
};

TEST(Choose, EqualsEvaluatingEverything) {
  const std::vector<Kind> kinds = {
      {"linear", "", regression(9)},
      {"linear", "intercept = true\nfeatures = 'polynomial'", regression(3)},
      {"logistic", "", classification(5, 2)},
      {"softmax", "", classification(9, 4)},
      {"softmax", "features = 'fourier'\ncount = 20", classification(3, 3)},
      {"mlp", "hidden = [6]", classification(9, 3)},
      {"mlp", "hidden = [5, 4]", regression(6)},
      {"mlp", "hidden = [1, 3]", classification(300, 3)},
      {"mlp", "hidden = [20]", classification(300, 3)},
      {"linear", "l2 = 0.3", regression(9)},
      {"logistic", "intercept = true\nl2 = 0.1", classification(5, 2)},
      {"mlp", "hidden = [6]\nl2 = 0.05", classification(9, 3)},
  };
  const std::vector<std::size_t> counts = {0, 1, 7, 8, 9, 40, 0, 16, 17, 3, 100, 1, 64};
  std::size_t right = 0, wrong = 0, hopeless = 0;
  for (std::size_t trial = 0; trial < 8 * kinds.size(); ++trial) {
    const Kind& kind = kinds[trial % kinds.size()];
    for (const Precision precision : {Precision::f32, Precision::f64}) {
      SCOPED_TRACE(kind.name + " " + kind.toml + ", trial " + std::to_string(trial));
      const World world(mixture(kind.shape, counts, 3, trial), kind.name, kind.toml, precision);
      Stream stream(trial, {Purpose::test});
      const std::size_t models = 1 + stream.below(5);
      const Shelf all = models_for(*world.model, models, precision, stream);
      std::vector<Shelf> shelves;
      std::vector<std::uint32_t> guesses;
      std::vector<Choice> expected;
      for (ClientId i = 0; i < counts.size(); ++i) {
        const auto sure = static_cast<std::uint32_t>(stream.below(models));
        std::vector<std::uint32_t> sent{sure};
        for (std::uint32_t k = 0; k < models; ++k) {
          if (stream.bernoulli(0.7)) sent.push_back(k);
        }
        shelves.push_back(stream.bernoulli(0.5) ? all : all.only(Items::only(sent)));
        guesses.push_back(static_cast<std::uint32_t>(stream.below(models + 1)));  // or none of them
        expected.push_back(by_definition(world.view(i), shelves.back()));
        if (stream.bernoulli(0.3)) guesses.back() = expected.back().model;
        if (stream.bernoulli(0.2)) guesses.back() = kNoGuess;
        ++(guesses.back() == expected.back().model ? right : wrong);
        if (std::isnan(expected.back().loss)) ++hopeless;
      }
      for (const std::size_t block : {1u, 3u, 8u, 13u}) {
        for (std::size_t begin = 0; begin < counts.size(); begin += block) {
          const std::size_t size = std::min(block, counts.size() - begin);
          std::vector<ClientView> views;
          for (std::size_t i = begin; i < begin + size; ++i)
            views.push_back(world.view(static_cast<ClientId>(i)));
          const std::vector<Choice> got =
              choose(views, std::span(shelves).subspan(begin, size),
                     std::span<const std::uint32_t>(guesses).subspan(begin, size));
          ASSERT_EQ(got.size(), size);
          for (std::size_t i = 0; i < size; ++i) {
            const Choice& truth = expected[begin + i];
            EXPECT_EQ(got[i].model, truth.model) << "client " << begin + i << ", block " << block;
            EXPECT_TRUE(got[i].loss == truth.loss || (std::isnan(got[i].loss) && std::isnan(truth.loss)))
                << got[i].loss << " is not " << truth.loss;
            const Shared& chosen = shelves[begin + i][got[i].model];
            if (precision == Precision::f32) {
              expect_sums<float>(views[i], world, chosen);
            } else {
              expect_sums<double>(views[i], world, chosen);
            }
          }
        }
      }
    }
  }
  // The instances are not all of one kind.
  EXPECT_GT(right, 100u);
  EXPECT_GT(wrong, 100u);
  EXPECT_GT(hopeless, 5u);
}

// Rows x = 1, y = 1 twice: losses (w - 1)^2 / 2 at w = 1.4 and 0.5 are 0.08 and 0.125; with the terms 0.1 w^2
// of l2 = 0.2 objectives are 0.276 and 0.15.
TEST(Choose, TheL2TermCounts) {
  for (const char* toml : {"", "l2 = 0.2"}) {
    const bool plain = std::string(toml).empty();
    TinyRun run({{{{1}, {1}}, {1, 1}, 0}}, {.model_toml = toml});
    ClientView view(*run.engine, 0, {}, {});
    const Shelf shelf({{1.4}, {0.5}}, Precision::f64);
    const Choice choice = choose({&view, 1}, {&shelf, 1}, {&kNoGuess, 1})[0];
    EXPECT_EQ(choice.model, plain ? 0u : 1u);
    EXPECT_NEAR(choice.loss, plain ? 0.08 : 0.125, 1e-14) << "the loss itself is without it";
    EXPECT_NEAR(objective_at(view, shelf[0]), plain ? 0.08 : 0.276, 1e-14);
    EXPECT_NEAR(objective_at(view, shelf[1]), plain ? 0.125 : 0.15, 1e-14);
  }
}

TEST(Choose, TheFirstOfEqualModelsWhateverTheGuess) {
  for (const std::size_t rows : {0u, 1u, 30u}) {
    const World world(mixture(classification(4, 3), {rows}, 1, 1), "softmax", "", Precision::f32);
    Stream stream(2, {Purpose::test});
    Vec model;
    world.model->init(model, stream);
    const Shelf shelf({model, model, model}, Precision::f32);
    for (std::uint32_t guess = 0; guess < 4; ++guess) {
      ClientView view = world.view(0);
      EXPECT_EQ(choose({&view, 1}, {&shelf, 1}, {&guess, 1})[0].model, 0u)
          << rows << " rows, guess " << guess;
    }
  }
}

}  // namespace
}  // namespace coterie::choose_test
