// What every model with a first layer promises of its two parts.
#include <gtest/gtest.h>

#include <cmath>

#include "coterie/methods/first_layer.h"
#include "data/penalty.h"
#include "math/gemm.h"
#include "models/bound_model.h"

namespace coterie::two_parts_test {
namespace {

const std::vector<std::pair<std::string, std::string>> kModels = {
    {"linear", ""},
    {"linear", "intercept = true\nl2 = 0.3\nfactor = 1"},
    {"linear", "features = 'fourier'\ncount = 12\nintercept = true"},
    {"logistic", "intercept = true\nl2 = 0.3"},
    {"logistic", "features = 'polynomial'"},
    {"softmax", ""},
    {"softmax", "loss = 'probability'"},
    {"softmax", "intercept = false\nl2 = 0.3\nfeatures = 'polynomial'"},
    {"mlp", "hidden = []"},
    {"mlp", "loss = 'probability'"},
    {"mlp", "hidden = [5]\nl2 = 0.3"},
    {"mlp", "hidden = [1]"},
    {"mlp", "hidden = [6, 8, 5]"}};

template <class Test>
void for_each_model(const Test& test) {
  for (const auto& [kind, toml] : kModels) {
    std::size_t fitting = 0;
    for (const Shape& shape : {regression(4), classification(4, 2), classification(4, 3)}) {
      std::unique_ptr<Model> model;
      try {
        model = bound_model(kind, toml, shape);
      } catch (const Error&) {
        continue;
      }
      SCOPED_TRACE(kind + " with " + toml + ", classes " + std::to_string(shape.classes));
      ++fitting;
      test(*model, shape);
    }
    EXPECT_GT(fitting, 0u) << kind;
  }
}

template <class Real>
std::vector<Real> first_sums(const Model& model, const std::vector<Real>& w, const Batch<Real>& batch) {
  const FirstLayer& first = *model.first_layer();
  std::vector<Real> sums(batch.rows * first.outputs());
  multiply(Matrix<const Real>(first.first_inputs(batch), batch.rows, first.inputs()),
           Matrix<const Real>(w.data(), first.inputs(), first.outputs()),
           Matrix<Real>(sums.data(), batch.rows, first.outputs()));
  return sums;
}

template <class Real>
class TwoParts : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(TwoParts, Reals);

TYPED_TEST(TwoParts, GiveTheLossesToTheBit) {
  using Real = TypeParam;
  for_each_model([](const Model& model, const Shape& shape) {
    ASSERT_NE(model.first_layer(), nullptr);
    const FirstLayer& first = *model.first_layer();
    ASSERT_GT(first.inputs(), 0u);
    ASSERT_LE(first.size(), model.size());
    for (const std::size_t rows : {1u, 2u, 11u, 300u}) {
      const Rows<Real> data(shape, rows);
      const std::vector<Real> w = start_of<Real>(model);
      Vec whole(rows), parts(rows);
      model.losses(w, data.batch(), whole);
      std::vector<Real> sums = first_sums(model, w, data.batch());
      first.tail_losses(first.tail(std::span<const Real>(w)), sums, data.y, parts);
      EXPECT_EQ(parts, whole);
    }
  });
}

TYPED_TEST(TwoParts, GiveThePredictions) {
  using Real = TypeParam;
  for_each_model([](const Model& model, const Shape& shape) {
    const Rows<Real> data(shape, 300);
    const std::vector<Real> w = start_of<Real>(model);
    Vec whole(300 * model.outputs()), parts(whole.size());
    model.predict(w, data.batch(), whole);
    std::vector<Real> sums = first_sums(model, w, data.batch());
    const FirstLayer& first = *model.first_layer();
    first.tail_outputs(first.tail(std::span<const Real>(w)), sums, parts);
    EXPECT_EQ(parts, whole);
  });
}

TYPED_TEST(TwoParts, GiveTheGradient) {
  using Real = TypeParam;
  for_each_model([](const Model& model, const Shape& shape) {
    const FirstLayer& first = *model.first_layer();
    for (const bool weighted : {false, true}) {
      const Rows<Real> data(shape, 11, weighted);
      const std::vector<Real> w = start_of<Real>(model);
      std::vector<Real> whole(w.size()), parts(w.size(), Real(77));
      const double value = model.gradient(w, data.batch(), whole);

      std::vector<Real> slopes = first_sums(model, w, data.batch());
      const double share = 1 / 11.0;
      const double sum = first.tail_gradient(first.tail(std::span<const Real>(w)), slopes, data.y,
                                             data.weights, share, first.tail(std::span<Real>(parts)));
      multiply(Matrix<const Real>(first.first_inputs(data.batch()), 11, first.inputs()).transposed(),
               Matrix<const Real>(slopes.data(), 11, first.outputs()),
               Matrix<Real>(parts.data(), first.inputs(), first.outputs()));
      double expected = share * sum;
      const Vec l2 = penalty_strengths(model);
      for (std::size_t j = 0; j < w.size(); ++j) {
        expected += 0.5 * l2[j] * static_cast<double>(w[j]) * static_cast<double>(w[j]);
        parts[j] += static_cast<Real>(l2[j]) * w[j];
        EXPECT_NEAR(parts[j], whole[j], 10 * std::numeric_limits<Real>::epsilon()) << "parameter " << j;
      }
      EXPECT_NEAR(value, expected, 1e-12);
    }
  });
}

// Choices with partial sums rest on it: also where a row is fitted perfectly, or hopelessly.
TYPED_TEST(TwoParts, LossesAreNeverNegative) {
  using Real = TypeParam;
  for_each_model([](const Model& model, const Shape& shape) {
    const FirstLayer& first = *model.first_layer();
    Stream stream(4, {Purpose::test});
    constexpr std::size_t kRows = 200;
    for (const double size : {0.0, 1e-6, 1.0, 30.0, 1e4, 1e18}) {
      std::vector<Real> tail = start_of<Real>(model);
      tail.erase(tail.begin(), tail.begin() + first.size());
      std::vector<Real> sums(kRows * first.outputs());
      Vec y(kRows), losses(kRows, -1.0);
      for (Real& sum : sums) sum = static_cast<Real>(size * stream.normal());
      for (double& target : y) {
        target = shape.classes > 0 ? static_cast<double>(stream.below(shape.classes)) : stream.normal();
      }
      first.tail_losses(std::span<const Real>(tail), sums, y, losses);
      for (const double loss : losses) EXPECT_GE(loss, 0);
    }
  });
}

}  // namespace
}  // namespace coterie::two_parts_test
