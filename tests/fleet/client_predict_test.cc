#include <gtest/gtest.h>

#include <cmath>

#include "coterie/client.h"
#include "support/tiny_federation.h"

namespace coterie::client_predict_test {
namespace {

// Six hundred rows, more than are judged at a time, most of which are of one value.
std::vector<TinyFederation::Client> dark_rows() {
  std::vector<TinyFederation::Client> clients(1);
  for (int i = 0; i < 600; ++i) {
    Vec row(40, 0.25 * (i % 3));
    for (int j = 0; j < 40; j += 1 + i % 4) row[static_cast<std::size_t>(j)] = std::sin(i + 2.0 * j);
    clients[0].x.push_back(row);
    clients[0].y.push_back(std::cos(i));
  }
  return clients;
}

// Three models, of which the last two have all but their heads in common.
std::vector<Shared> three_models(const Model& model, ClientView& view) {
  std::vector<Vec> all(3);
  for (std::uint32_t k = 0; k < 3; ++k) {
    Stream stream(3, {Purpose::test, 0, 0, k});
    model.init(all[k], stream);
  }
  std::copy_n(all[1].begin(), model.head(), all[2].begin());
  std::vector<Shared> shared;
  for (const Vec& w : all) shared.push_back(view.to_shared(w));
  return shared;
}

template <class Real>
Vec predictions(const Shared& w, ClientView& view) {
  Vec out(view.count(Part::test) * view.model().outputs());
  view.model().predict(w.as<Real>(), view.batch<Real>(Part::test), out);
  return out;
}

void expect_predictions_of_each(const std::string& kind, const std::string& toml, Precision precision) {
  const TinyFederation federation(dark_rows());
  const auto model = make_plugin<Model>(kind, toml);
  model->bind(federation.shape(), 1);
  const auto solver = make_plugin<Solver>("gd", "rate = 0.1\nsteps = 1");
  const Engine engine{federation, *model, *solver, precision, 1};
  ClientView view(engine, 0, {}, {});
  const std::vector<Shared> models = three_models(*model, view);

  std::vector<Vec> all(3);
  view.predict(models, Part::test, [&](std::size_t k, std::size_t row, auto outputs, auto losses) {
    EXPECT_EQ(row * model->outputs(), all[k].size());
    EXPECT_TRUE(losses.empty());
    all[k].insert(all[k].end(), outputs.begin(), outputs.end());
  });
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec expected = precision == Precision::f32 ? predictions<float>(models[k], view)
                                                     : predictions<double>(models[k], view);
    EXPECT_EQ(all[k], expected) << kind << " " << toml << " " << k;
    Vec alone, alone_losses;
    view.predict({&models[k], 1}, Part::test, [&](std::size_t, std::size_t, auto outputs, auto losses) {
      alone.insert(alone.end(), outputs.begin(), outputs.end());
      alone_losses.insert(alone_losses.end(), losses.begin(), losses.end());
    });
    EXPECT_EQ(alone, expected) << kind << " " << toml << " " << k;
    EXPECT_EQ(alone_losses, view.losses(models[k], Part::test)) << kind << " " << toml << " " << k;
  }
}

TEST(Judging, HasTheBitsOfPredictingAllRowsByEachModel) {
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    expect_predictions_of_each("mlp", "hidden = [70]", precision);
    expect_predictions_of_each("mlp", "hidden = [50, 7]\nl2 = 0.1", precision);
    expect_predictions_of_each("mlp", "hidden = [1]", precision);
    expect_predictions_of_each("linear", "intercept = true", precision);
    expect_predictions_of_each("linear", "features = 'fourier'\ncount = 12", precision);
  }
}

TEST(Judging, OfNoRowsCallsNobody) {
  TinyRun run({{{{1, 0}}, {3}, 0}, {{}, {}, 0}}, {});
  ClientView view(*run.engine, 1, {}, {});
  const Shared w = view.to_shared({1, 1});
  view.predict({&w, 1}, Part::test, [](auto...) { FAIL(); });
}

}  // namespace
}  // namespace coterie::client_predict_test
