#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "models/bound_model.h"

namespace coterie::mlp_test {
namespace {

// 2 inputs, 2 hidden units, 1 output. At x = (1, 2):
//   z = x W1 + b1 = (1*1 + 2*1 + 0, 1*1 - 2*1 + 0.5) = (3, -0.5), h = (3, 0), prediction 3*2 + 0*4 + 1 = 7.
const Vec kParameters = {1, 1, 1, -1, 0, 0.5, 2, 4, 1};
const std::vector<double> kX = {1, 2};
const std::vector<double> kY = {5};
const Batch<double> kBatch{1, 2, kX, kY, {}};

TEST(Mlp, RegressionAsByHand) {
  const auto model = bound_model("mlp", "hidden = [2]", regression(2));
  ASSERT_EQ(model->size(), kParameters.size());
  Vec out(1), features(2), gradient(9);
  model->predict(kParameters, kBatch, out);
  EXPECT_EQ(out[0], 7);
  model->features(kParameters, kBatch, features);
  EXPECT_EQ(features, (Vec{3, 0}));
  EXPECT_EQ(model->gradient(kParameters, kBatch, gradient), 2);  // (7 - 5)^2 / 2
  // Slope 2 at the output; 2 * (2, 4) at h, and the second unit is off.
  EXPECT_EQ(gradient, (Vec{4, 0, 8, 0, 4, 0, 6, 0, 2}));
}

TEST(Mlp, NamesItsLayers) {
  const auto model = bound_model("mlp", "hidden = [200]", classification(784, 10));
  EXPECT_EQ(model->size(), 159010u);
  const std::vector<Layer> layers = model->layers();
  ASSERT_EQ(layers.size(), 4u);
  EXPECT_EQ(layers[0].name, "layer1.weight");
  EXPECT_EQ(layers[0].key, "0.weight");
  EXPECT_EQ(layers[0].shape, (std::vector<std::size_t>{200, 784}));
  EXPECT_EQ(layers[0].place(3, 5), 5u * 200 + 3) << "in memory, inputs come first";
  EXPECT_EQ(layers[2].key, "2.weight") << "after the ReLU";
  EXPECT_EQ(layers[3].name, "layer2.bias");
  EXPECT_EQ(layers[3].offset, 159000u);
  EXPECT_EQ(model->head(), 784u * 200 + 200);
  EXPECT_EQ(model->feature_width(), 200u);
  EXPECT_EQ(model->scores(), 10u);
  EXPECT_EQ(model->depth(), 2u);
  EXPECT_EQ(model->trainable(), model->size());
}

TEST(Mlp, StartsAsTorchLayers) {
  const auto model = bound_model("mlp", "hidden = [25]", classification(100, 10));
  Stream stream(4, {Purpose::init});
  Vec w;
  model->init(w, stream);
  const auto largest = [&](std::size_t first, std::size_t last) {
    double most = 0;
    for (std::size_t i = first; i < last; ++i) most = std::max(most, std::fabs(w[i]));
    return most;
  };
  const std::size_t head = model->head();
  EXPECT_LE(largest(0, head), 0.1);  // 100 inputs
  EXPECT_GT(largest(0, head), 0.099);
  EXPECT_LE(largest(head, w.size()), 0.2);  // 25 inputs
  EXPECT_GT(largest(head, w.size()), 0.19);
}

TEST(Mlp, WithoutHiddenLayersIsSoftmaxRegression) {
  const Shape shape = classification(4, 3);
  const auto flat = bound_model("mlp", "hidden = []\nl2 = 0.1", shape);
  const auto softmax = bound_model("softmax", "l2 = 0.1", shape);
  ASSERT_EQ(flat->size(), softmax->size());
  EXPECT_EQ(flat->head(), 0u);
  const Rows<double> rows(shape, 9, true);
  const Vec w = start_of<double>(*softmax);
  Vec a(w.size()), b(w.size());
  EXPECT_EQ(flat->gradient(w, rows.batch(), a), softmax->gradient(w, rows.batch(), b));
  EXPECT_EQ(a, b);
}

// Forward 2 (784*200 + 200*10); backward twice that but for the slopes of the input.
TEST(Mlp, CountsItsFlops) {
  const auto model = bound_model("mlp", "hidden = [200]", classification(784, 10));
  EXPECT_EQ(model->forward_flops(), 317600);
  EXPECT_EQ(model->gradient_flops(), 3 * 317600 - 2 * 784 * 200);
}

TEST(Mlp, RefusesWidthsThatMakeNoSense) {
  EXPECT_THROW(bound_model("mlp", "hidden = [0]", classification(4, 3)), BadConfig);
  EXPECT_THROW(bound_model("mlp", "hidden = [100000, 100000]", classification(4, 3)), Error);
  EXPECT_THROW(bound_model("mlp", "", classification(4, 1)), Error);
}

}  // namespace
}  // namespace coterie::mlp_test
