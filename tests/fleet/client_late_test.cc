// Trained models whose large first layer is computed only when it is read.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "coterie/client.h"
#include "coterie/fold.h"
#include "coterie/methods/slots.h"
#include "fleet/gram_cache.h"
#include "models/bound_model.h"
#include "support/given_federation.h"

namespace coterie::client_late_test {
namespace {

// 20,000 weights in the first layer.
constexpr std::size_t kWidth = 200, kHidden = 100;

// Byte features: the matrix of numbers belongs to the view alone. Most of every other image is -2.
GivenFederation images(const std::vector<std::size_t>& counts) {
  std::vector<Samples> clients;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    Stream stream(4, {Purpose::samples, 0, 0, static_cast<std::uint32_t>(i)});
    Samples samples;
    samples.shape = classification(kWidth, 3);
    samples.scale = 1 / 64.0;
    samples.offset = -2;
    std::vector<std::uint8_t> bytes(counts[i] * kWidth);
    for (std::size_t j = 0; j < bytes.size(); ++j) {
      const bool dark = j / kWidth % 2 == 1 && (j % kWidth == 0 || stream.below(10) < 6);
      bytes[j] = dark ? 0 : static_cast<std::uint8_t>(stream.below(256));
    }
    samples.features = std::move(bytes);
    for (std::size_t j = 0; j < counts[i]; ++j)
      samples.targets.push_back(static_cast<double>(stream.below(3)));
    clients.push_back(std::move(samples));
  }
  return GivenFederation(std::move(clients));
}

const std::string kSolver = "rate = 0.05\nsteps = 4\nweight_decay = 0.1\nmomentum = 0.5";

struct World {
  GivenFederation federation;
  std::unique_ptr<Model> model =
      bound_model("mlp", "hidden = [" + std::to_string(kHidden) + "]", classification(kWidth, 3));
  std::unique_ptr<Solver> solver = make_plugin<Solver>("gd", kSolver);
  Engine engine;
  Shared start;

  World(const std::vector<std::size_t>& counts, Precision precision)
      : federation(images(counts)), engine{federation, *model, *solver, precision, 1} {
    Stream stream(1, {Purpose::init});
    Vec values;
    model->init(values, stream);
    start = Shared(std::move(values), precision);
  }
  Numbers trained(ClientId id) const {
    return ClientView(engine, id, {Purpose::work, 1, 0}, {}).train(start);
  }
  // On the weights themselves.
  template <class Real>
  std::vector<Real> primal(ClientId id) const {
    ClientView view(engine, id, {Purpose::work, 1, 0}, {});
    const std::span<const Real> from = start.as<Real>();
    std::vector<Real> w(from.begin(), from.end());
    LocalJob<Real> job{*model, view.batch<Real>(Part::train), w, 0, {}, {}, 1, 0, view.stream()};
    solver->train(job);
    return w;
  }
};

template <class Real>
void compare(const World& world, double error) {
  Numbers numbers = world.trained(0);  // its view is gone
  EXPECT_EQ(numbers.step(), kHidden);
  const double bound = numbers.largest(1024);
  const Vec got = numbers;
  const std::vector<Real> expected = world.primal<Real>(0);
  ASSERT_EQ(got.size(), expected.size());
  double largest = 0;
  for (std::size_t j = 0; j < got.size(); ++j) {
    ASSERT_NEAR(got[j], expected[j], error) << j;
    largest = std::max(largest, std::fabs(got[j]));
  }
  EXPECT_GE(bound, largest);
  EXPECT_LT(bound, 1024);

  // Any pieces, and the message, have the same bits.
  for (const std::size_t rows : {1u, 2u, 7u, 150u, 201u}) {
    Vec pieced;
    for (std::size_t begin = 0; begin < numbers.size(); begin += rows * kHidden) {
      numbers.piece(begin, std::min(rows * kHidden, numbers.size() - begin),
                    [&](auto values) { pieced.insert(pieced.end(), values.begin(), values.end()); });
    }
    ASSERT_EQ(pieced, got) << rows << " rows at a time";
  }
  const Precision precision = world.engine.precision;
  EXPECT_EQ(Vec(decode<Numbers>(encode(numbers, precision), precision)), got);
}

TEST(LateModel, EqualsTrainingTheWeights) {
  compare<double>(World({12}, Precision::f64), 1e-12);
  compare<float>(World({12}, Precision::f32), 1e-5);
}

// Clients without rows and with very many are trained on the weights themselves, and meet late ones in a
// slot.
TEST(LateModel, FoldsBesideModelsThatAreNotLate) {
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    const World world({0, 12, 600, 5}, precision);
    std::vector<Numbers> models;
    for (ClientId i = 0; i < 4; ++i) models.push_back(world.trained(i));
    EXPECT_EQ(models[0].step(), 1u);
    EXPECT_EQ(models[1].step(), kHidden);
    EXPECT_EQ(models[2].step(), 1u);
    Sums block(1, world.model->size(), 4), whole(1, world.model->size(), 4);
    block.open(1);
    whole.open(1);
    std::vector<Slots::Piece> pieces;
    for (ClientId i = 0; i < 4; ++i) {
      pieces.push_back({i, 0, 1, &models[i]});
      whole.add(0, i, 0, 1, Vec(models[i]));
    }
    block.add_block(0, pieces);
    block.close();
    whole.close();
    EXPECT_EQ(block.sum(0), whole.sum(0));
  }
}

TEST(LateModel, AValueThatIsNotFiniteIsFound) {
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    World world({12}, precision);
    Vec values = world.start.values();
    values[kHidden * 3] = std::nan("");
    world.start = Shared(values, precision);
    Numbers numbers = world.trained(0);
    Archive rounder = Archive::rounder(precision);
    rounder(numbers);
    EXPECT_GT(rounder.not_finite(), 0u);
    EXPECT_NE(Sums(1, world.model->size(), 1).refuse(0, 1, numbers), "");
  }
}

TEST(ClientView, KeptInnerProductsChangeNoBit) {
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    World world({12, 9}, precision);
    const Vec first = world.trained(0), second = world.trained(1);
    GramCache cache(1);
    world.engine.grams = &cache;
    for (int round = 0; round < 2; ++round) {
      EXPECT_EQ(Vec(world.trained(0)), first);
      EXPECT_EQ(Vec(world.trained(1)), second);
    }
  }
}

}  // namespace
}  // namespace coterie::client_late_test
