#include "coterie/gradients.h"

#include <gtest/gtest.h>

#include "support/tiny_federation.h"

namespace coterie {
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
      models.push_back(view.share(w));
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

TEST(Gradients, AtNoModelAreNone) {
  TinyRun run(kClient, {});
  ClientView view(*run.engine, 0, {}, {});
  EXPECT_TRUE(gradients_at(view, {}).empty());
}

}  // namespace
}  // namespace coterie
