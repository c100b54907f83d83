// What a model gets without writing it, shown on one that writes the least.
#include "support/toy_model.h"

#include <gtest/gtest.h>

#include "models/bound_model.h"

namespace coterie {
namespace {

std::unique_ptr<Model> toy(bool dropout = false) {
  auto model = std::make_unique<ToyModel>(dropout);
  model->bind(regression(3), 1);
  return model;
}

TEST(ToyModel, SizesFollowFromTheLayers) {
  const auto model = toy();
  EXPECT_EQ(model->size(), 5u);
  EXPECT_EQ(model->trainable(), 4u);
  EXPECT_EQ(model->head(), 0u);
  EXPECT_EQ(model->feature_width(), 3u);
  EXPECT_EQ(model->scores(), 1u);
  EXPECT_EQ(model->outputs(), 1u);
  EXPECT_EQ(model->depth(), 1u);
  EXPECT_EQ(model->first_layer(), nullptr);
  EXPECT_EQ(trailing_intercepts(*model), 1u);
  ASSERT_EQ(model->penalised().size(), 1u);
  EXPECT_EQ(model->penalised()[0].size, 4u) << "no penalty on buffers";
}

TEST(ToyModel, PredictsThroughItsHead) {
  const auto model = toy();
  const Vec w = {1, 2, 3, 0.5, 10}, x = {1, 1, 1, 0, 0, 2};
  Vec scores(2), out(2);
  model->head_outputs(std::span<const double>(w), x, scores);
  EXPECT_EQ(scores, (Vec{6.5, 6.5}));
  model->predict(w, Batch<double>{2, 3, x, {}, {}}, out);
  EXPECT_EQ(out, (Vec{16.5, 16.5})) << "with the buffer";
}

// Without a step a gradient is the objective's own: nothing is drawn, nothing is written.
TEST(ToyModel, OnlyStepsDrawAndWrite) {
  const auto model = toy(/*dropout=*/true);
  const Rows<double> rows(regression(3), 6);
  Vec w = {1, -1, 0.5, 0.25, 4}, plain(5), again(5), stepped(5);
  model->gradient(w, rows.batch(), plain);
  model->gradient(w, rows.batch(), again);
  EXPECT_EQ(plain, again);
  EXPECT_EQ(plain[4], 0) << "buffers have no slope";
  Stream stream(2, {Purpose::test});
  StepContext<double> step{stream, std::span(w).subspan(4)};
  model->gradient(w, rows.batch(), stepped, &step);
  EXPECT_NE(stepped, plain);
  double mean = 0;
  for (std::size_t i = 0; i < 6; ++i) mean += rows.x[3 * i] / 6;
  EXPECT_NEAR(w[4], (4 + mean) / 2, 1e-15);
  const Vec before = w;
  StepContext<double> nowhere{stream, {}};
  model->gradient(w, rows.batch(), stepped, &nowhere);
  EXPECT_EQ(w, before);
}

TEST(ToyModel, RefusesLayersThatMakeNoVector) {
  class Odd : public ToyModel {
   public:
    explicit Odd(std::vector<Layer> layers) : layers_(std::move(layers)) {}

   protected:
    std::vector<Layer> build(const Shape&, std::uint64_t) override { return layers_; }

   private:
    std::vector<Layer> layers_;
  };
  const Layer weight{.name = "w", .shape = {2}}, buffer{.name = "b", .shape = {2}, .buffer = true};
  auto at = [](Layer layer, std::size_t offset) {
    layer.offset = offset;
    return layer;
  };
  for (const std::vector<Layer>& layers :
       {std::vector<Layer>{}, {buffer}, {at(weight, 1)}, {weight, at(weight, 3)}, {buffer, at(weight, 2)}}) {
    EXPECT_THROW(Odd(layers).bind(regression(2), 1), Bug);
  }
  EXPECT_NO_THROW(Odd({weight, at(buffer, 2)}).bind(regression(2), 1));
  EXPECT_THROW(Odd({weight}).bind(regression(0), 1), Error);
}

}  // namespace
}  // namespace coterie
