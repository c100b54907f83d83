#include "coterie/methods/gradients.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/tiny_federation.h"

namespace coterie::gradients_test {
namespace {

const std::vector<TinyFederation::Client> kClient = {
    {{{1, 2, -1}, {0.5, -3, 2}, {4, 0, 1}, {-2, 1, 1}}, {1, 2, -3, 0.5}, 0}};

TEST(Gradients, AtSeveralModelsAreThoseAtEach) {
  for (const char* model : {"", "intercept = true\nl2 = 0.3\nfactor = 1", "features = 'polynomial'"}) {
    TinyRun run(kClient, {.model_toml = model});
    ClientView view(*run.engine, 0, {}, {});
    std::vector<Shared> models;
    for (int k = 0; k < 5; ++k) {
      Vec w(run.model->size());
      for (std::size_t j = 0; j < w.size(); ++j) w[j] = 0.1 * k - 0.3 * static_cast<double>(j % 3);
      models.push_back(view.to_shared(w));
    }
    const std::vector<Numbers> all = gradients_at(view, models);
    ASSERT_EQ(all.size(), models.size());
    for (std::size_t k = 0; k < models.size(); ++k) {
      const Vec expected = view.gradient(models[k]), got = all[k];
      ASSERT_EQ(got.size(), expected.size());
      for (std::size_t j = 0; j < got.size(); ++j) EXPECT_NEAR(got[j], expected[j], 1e-12) << model;
    }
  }
}

// A network: to the bit, with dark pixels and l2 too. Dark is 0, or what each image has for it.
void expect_bits_of_each(double dark) {
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    std::vector<TinyFederation::Client> clients(1);
    for (int i = 0; i < 70; ++i) {
      Vec row(90, 0.0);
      for (int j = 0; j < 90; ++j)
        row[static_cast<std::size_t>(j)] = (i * j) % 5 < 3 ? dark * (i % 4) : std::sin(i + 2.0 * j);
      clients[0].x.push_back(row);
      clients[0].y.push_back(std::cos(i));
    }
    const TinyFederation federation(clients);
    const auto model = make_plugin<Model>("mlp", "hidden = [50, 7]\nl2 = 0.1");
    model->bind(federation.shape(), 1);
    const auto solver = make_plugin<Solver>("gd", "rate = 0.1\nsteps = 1");
    const Engine engine{federation, *model, *solver, precision, 1};
    ClientView view(engine, 0, {}, {});
    std::vector<Shared> models;
    for (std::uint32_t k = 0; k < 5; ++k) {
      Vec w;
      Stream stream(3, {Purpose::test, 0, 0, k});
      model->init(w, stream);
      models.push_back(view.to_shared(w));
    }
    const std::vector<Numbers> all = gradients_at(view, models);
    ASSERT_EQ(all.size(), 5u);
    for (std::size_t k = 0; k < models.size(); ++k) {
      EXPECT_EQ(static_cast<Vec>(all[k]), static_cast<Vec>(view.gradient(models[k]))) << k;
    }
    if (precision == Precision::f32) continue;
    // The same without telling the model what is dark.
    Batch<double> batch = view.batch<double>(Part::train);
    EXPECT_EQ(batch.backgrounds.empty(), dark == 0);
    batch.backgrounds = {};
    Vec plain(model->size());
    model->gradient(models[0].as<double>(), batch, plain);
    const Vec got = all[0];
    for (std::size_t j = 0; j < plain.size(); ++j) EXPECT_NEAR(got[j], plain[j], 1e-13);
  }
}

TEST(Gradients, OfNetworksHaveTheBitsOfEach) { expect_bits_of_each(0); }
TEST(Gradients, OfNetworksOnImagesThatAreNotQuiteDarkHaveTheBitsOfEach) { expect_bits_of_each(0.7); }

TEST(Gradients, AtNoModelAreNone) {
  TinyRun run(kClient, {});
  ClientView view(*run.engine, 0, {}, {});
  EXPECT_TRUE(gradients_at(view, {}).empty());
}

}  // namespace
}  // namespace coterie::gradients_test
