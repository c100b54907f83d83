// The gradients of eqs. (6) and (7): several heads over one extractor.
#include <gtest/gtest.h>

#include "algorithms/tiers/heads_model.h"
#include "support/plugins.h"

namespace coterie::tiers_heads_model_test {
namespace {

constexpr std::size_t kHeads = 2, kRows = 3;
const Vec kX = {0.5, -1, 2, 0.3, 1, 1}, kY = {0, 2, 1}, kNumbers = {0, 1, 2};
const Vec kGamma = {0.7, 0.3, 0.1, 0.9, 0.5, 0.5};

std::unique_ptr<Model> network(const std::string& hidden) {
  auto model = make_plugin<Model>("mlp", "hidden = " + hidden + "\nl2 = 0.05\npenalise_intercept = true");
  model->bind({Task::classification, 2, 3, 0, 0, 0}, 1);
  return model;
}

// Extractor and heads at random.
Vec parameters(const Model& inner, std::uint64_t seed) {
  Vec all(inner.head() + kHeads * (inner.size() - inner.head()));
  Stream stream(seed, {Purpose::init});
  for (double& value : all) value = stream.normal();
  return all;
}

// sum_j sum_k gamma_jk loss_k / rows + l2/2 |trained|^2, written out.
double objective(const Model& inner, const Vec& all, std::size_t begin, std::size_t end) {
  const std::size_t size = inner.size() - inner.head();
  double value = 0;
  for (std::size_t k = 0; k < kHeads; ++k) {
    Vec whole(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(inner.head()));
    const auto own = all.begin() + static_cast<std::ptrdiff_t>(inner.head() + k * size);
    whole.insert(whole.end(), own, own + static_cast<std::ptrdiff_t>(size));
    Vec losses(kRows);
    inner.losses(whole, Batch<double>{kRows, 2, kX, kY, {}}, losses);
    for (std::size_t j = 0; j < kRows; ++j) value += kGamma[j * kHeads + k] * losses[j] / kRows;
  }
  for (std::size_t j = begin; j < end; ++j) value += 0.5 * inner.l2() * all[j] * all[j];
  return value;
}

void check_gradient(const std::string& hidden, HeadsModel::Trains trains) {
  const auto inner = network(hidden);
  const Vec all = parameters(*inner, 3);
  const HeadsModel model(*inner, kHeads, kGamma, trains, all);
  const std::size_t begin = trains == HeadsModel::Trains::heads ? inner->head() : 0;
  const std::size_t end = trains == HeadsModel::Trains::extractor ? inner->head() : all.size();
  ASSERT_EQ(model.size(), end - begin);
  Batch<double> batch{kRows, 2, kX, kY, kNumbers};
  Vec sums;
  if (model.on_sums()) {
    const std::size_t outputs = inner->first_layer()->outputs();
    for (std::size_t j = 0; j < kRows; ++j) {
      for (std::size_t c = 0; c < outputs; ++c)
        sums.push_back(kX[2 * j] * all[c] + kX[2 * j + 1] * all[outputs + c]);
    }
    batch.x = sums;
    batch.width = outputs;
  }
  const Vec w(all.begin() + static_cast<std::ptrdiff_t>(begin),
              all.begin() + static_cast<std::ptrdiff_t>(end));
  Vec gradient(w.size());
  const double value = model.gradient(w, batch, gradient);
  EXPECT_NEAR(value, objective(*inner, all, begin, end), 1e-12);
  for (std::size_t j = begin; j < end; ++j) {
    Vec up = all, down = all;
    up[j] += 1e-6;
    down[j] -= 1e-6;
    const double slope = (objective(*inner, up, begin, end) - objective(*inner, down, begin, end)) / 2e-6;
    EXPECT_NEAR(gradient[j - begin], slope, 1e-7) << hidden << " " << j;
  }
}

TEST(HeadsModel, GradientsByBothPartsOrOneAreThoseOfFiniteDifferences) {
  for (const char* hidden : {"[4]", "[4, 3]"}) {
    check_gradient(hidden, HeadsModel::Trains::both);
    check_gradient(hidden, HeadsModel::Trains::heads);
    check_gradient(hidden, HeadsModel::Trains::extractor);
  }
}

TEST(HeadsModel, NeedsAnExtractor) {
  const auto softmax = make_plugin<Model>("softmax");
  softmax->bind({Task::classification, 2, 3, 0, 0, 0}, 1);
  EXPECT_FALSE(HeadsModel::can_share(*softmax));
  EXPECT_TRUE(HeadsModel::can_share(*network("[4]")));
}

}  // namespace
}  // namespace coterie::tiers_heads_model_test
