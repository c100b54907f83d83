#include "fleet/augmented_model.h"

#include <gtest/gtest.h>

#include "algorithms/tiers/heads_model.h"
#include "base/option_readers.h"
#include "fleet/program.h"
#include "support/plugins.h"

namespace coterie::augmented_model_test {
namespace {

const Shape kImages{.width = 36, .classes = 3, .height = 6, .columns = 6, .channels = 1};
const Shape kMiddles{.width = 16, .classes = 3, .height = 4, .columns = 4, .channels = 1};

std::unique_ptr<Model> plain(const std::string& kind, const Shape& shape) {
  auto model = make_plugin<Model>(kind, kind == "mlp" ? "hidden = [5]\nl2 = 0.1" : "");
  model->bind(shape, 1);
  return model;
}
std::unique_ptr<Model> augmented(const std::string& kind, const std::string& toml = "crop = 4\nflip = true") {
  AugmentOptions options;
  set_options(options, toml);
  auto inner = make_plugin<Model>(kind, kind == "mlp" ? "hidden = [5]\nl2 = 0.1" : "");
  auto model = std::make_unique<AugmentedModel>(std::move(inner), options);
  model->bind(kImages, 1);
  return model;
}

struct Rows {
  Vec x, middle, y;
  Rows() {
    Stream stream(2, {.purpose = Purpose::test});
    for (int i = 0; i < 4 * 36; ++i) x.push_back(stream.uniform());
    for (int i = 0; i < 4; ++i) {
      for (int row = 1; row < 5; ++row) {
        for (int column = 1; column < 5; ++column)
          middle.push_back(x[static_cast<std::size_t>(i * 36 + row * 6 + column)]);
      }
      y.push_back(i % 3);
    }
  }
  Batch<double> whole() const { return {4, 36, x, y, {}}; }
  Batch<double> middles() const { return {4, 16, middle, y, {}}; }
};

Vec start(const Model& model) {
  Vec w;
  Stream stream(3, {.purpose = Purpose::init});
  model.init(w, stream);
  return w;
}

TEST(AugmentedModel, IsTheInnerModelOnMiddlesWhereRowsAreJudged) {
  const Rows rows;
  const auto model = augmented("mlp"), inner = plain("mlp", kMiddles);
  ASSERT_EQ(model->size(), inner->size());
  EXPECT_EQ(model->shape(), kImages);
  EXPECT_EQ(model->head(), inner->head());
  EXPECT_EQ(model->l2(), inner->l2());
  EXPECT_EQ(model->first_layer(), nullptr);
  const Vec w = start(*model);
  EXPECT_EQ(w, start(*inner));
  Vec own(4), wanted(4);
  model->losses(w, rows.whole(), own);
  inner->losses(w, rows.middles(), wanted);
  EXPECT_EQ(own, wanted);
  Vec own_p(12), wanted_p(12);
  model->predict(w, rows.whole(), own_p);
  inner->predict(w, rows.middles(), wanted_p);
  EXPECT_EQ(own_p, wanted_p);
  Vec own_f(20), wanted_f(20), own_s(12), wanted_s(12);
  model->features(w, rows.whole(), own_f);
  inner->features(w, rows.middles(), wanted_f);
  EXPECT_EQ(own_f, wanted_f);
  model->head_outputs(w, own_f, own_s);
  inner->head_outputs(w, own_f, wanted_s);
  EXPECT_EQ(own_s, wanted_s);
  Vec own_g(w.size()), wanted_g(w.size());
  EXPECT_EQ(model->gradient(w, rows.whole(), own_g), inner->gradient(w, rows.middles(), wanted_g));
  EXPECT_EQ(own_g, wanted_g);
}

TEST(AugmentedModel, AStepDrawsFromItsStream) {
  const Rows rows;
  const auto model = augmented("mlp"), inner = plain("mlp", kMiddles);
  const Vec w = start(*model);
  const auto gradient = [&](std::uint64_t seed) {
    Stream stream(seed, {.purpose = Purpose::work});
    StepContext<double> step{stream, {}};
    Vec out(w.size());
    model->gradient(w, rows.whole(), out, &step);
    return out;
  };
  EXPECT_EQ(gradient(1), gradient(1));
  EXPECT_NE(gradient(1), gradient(2));
  Stream stream(1, {.purpose = Purpose::work});
  AugmentOptions options;
  set_options(options, "crop = 4\nflip = true");
  const AugmentedRows<double> seen(options, kImages, rows.whole(), &stream);
  Vec wanted(w.size());
  inner->gradient(w, seen.batch(), wanted);
  EXPECT_EQ(gradient(1), wanted);
}

// What minimises linear models would take the rows as they are.
TEST(AugmentedModel, IsNoLinearModelForMinimisers) {
  EXPECT_EQ(augmented("softmax")->loss_kind(), LossKind::other);
  EXPECT_EQ(augmented("mlp")->loss_kind(), LossKind::cross_entropy);
}

// All heads over a shared extractor see one window: the extractor's gradient with two equal heads of weight
// 1/2 is that of one.
TEST(AugmentedModel, HeadsOverAnExtractorSeeTheSameRows) {
  const Rows rows;
  const auto model = augmented("mlp");
  const Vec w = start(*model);
  Vec two = w;
  two.insert(two.end(), w.begin() + static_cast<std::ptrdiff_t>(model->head()), w.end());
  const auto gradient = [&](std::size_t heads, const Vec& all, const Vec& gamma) {
    const HeadsModel shared(*model, heads, gamma, HeadsModel::Trains::both, all);
    const Vec numbers = {0, 1, 2, 3};
    Batch<double> batch = rows.whole();
    batch.weights = numbers;
    Stream stream(1, {.purpose = Purpose::work});
    StepContext<double> step{stream, {}};
    Vec out(all.size());
    shared.gradient(all, batch, out, &step);
    out.resize(model->head());
    return std::pair(out, stream.bits64());
  };
  const auto [one, after_one] = gradient(1, w, Vec(4, 1.0));
  const auto [both, after_both] = gradient(2, two, Vec(8, 0.5));
  for (std::size_t j = 0; j < one.size(); ++j) EXPECT_NEAR(one[j], both[j], 1e-12);
  EXPECT_EQ(after_one, after_both);
}

TEST(AugmentedModel, WhatAConfigDoesNotAskForIsNotInIt) {
  const auto text = [](const std::string& more) {
    Problems problems;
    const Table table = parse_toml("[model]\nkind = \"mlp\"\n" + more, "test.toml");
    const Program program = ProgramReader(table, "test.toml", problems, nullptr).read_program();
    problems.raise_if_any();
    return program.text();
  };
  EXPECT_EQ(text("").find("augment"), std::string::npos);
  EXPECT_EQ(text("[augment]\nflip = false"), text(""));
  EXPECT_NE(text("[augment]\ncrop = 24").find("crop = 24"), std::string::npos);
}

}  // namespace
}  // namespace coterie::augmented_model_test
