// What clients compute in FedMD's first phase.
#include <gtest/gtest.h>

#include <cmath>

#include "inits/fedmd/clients.h"
#include "inits/fedmd_runs.h"
#include "models/bound_model.h"
#include "support/given_federation.h"

namespace coterie::fedmd_clients_test {
namespace {

template <class Note, class Reply>
Reply asked(const Clients& clients, const Job<Note, Reply>& job, const std::vector<Vec>& items,
            const Note& note) {
  TinyRun run(clients, {});
  const Lent lent(*run.program, job);
  run.fleet->begin_round(1);
  Collect<Reply, Reply> replies([](Reply& reply) { return std::move(reply); });
  const std::vector<ClientId> one{0};
  run.fleet->ask(job, one, Shelf(items, Precision::f64), [&](ClientId) { return note; }, {&replies});
  return replies.items.at(0).second;
}

// Residuals at (1, 0): (1 - 1)(1, 1) = 0 and (4 - 0)(0, 2) = (0, 8); at (0, 0): (1, 1) and (0, 8).
TEST(FedMd, YOfTwoSamplesByHand) {
  const Clients clients = {{{{1, 1}, {0, 2}}, {1, 4}, 0}};
  MultiplyNote note;
  note.whole = true;
  note.anchors = 2;
  const Vec all = asked(clients, kMultiply, {{0, 0}, {1, 0}}, note).products;
  EXPECT_EQ(all, (Vec{0, 4, 4, 8, 0, 0, 0, 0}));
  note.one_pair = true;
  const Vec printed = asked(clients, kMultiply, {{0, 0}, {1, 0}}, note).products;
  EXPECT_EQ(printed, (Vec{0, 8, 0, 8, 0, 0, 0, 0}));
  // By Y' and by Y, of one anchor: Q = (1, 2).
  note.whole = false;
  note.anchors = 1;
  EXPECT_EQ(Vec(asked(clients, kMultiply, {{1, 2}, {0, 0}}, note).products), (Vec{16, 16}));
  note.transposed = true;
  EXPECT_EQ(Vec(asked(clients, kMultiply, {{1, 2}, {0, 0}}, note).products), (Vec{0, 24}));
}

// Two readings: the first sample at (0, 0), the second at (1, 0): (1, 1) (0, 8)' and (0, 8) (0, 0)'.
TEST(FedMd, PerturbedModelsAreReadOneForEachSampleOfAPair) {
  const Clients clients = {{{{1, 1}, {0, 2}}, {1, 4}, 0}};
  MultiplyNote note;
  note.whole = true;
  note.anchors = 1;
  note.perturbed = {0, 0, 1, 0};
  EXPECT_EQ(Vec(asked(clients, kMultiply, {}, note).products), (Vec{0, 4, 0, 4}));
}

// Residuals y x of four samples at 0, projected on the first two coordinates; with numpy:
//   Z = (y[:, None] * x) @ U.T; A = (outer(Z.sum(0), Z.sum(0)) - Z.T @ Z) / 12 = [[8/3, 13/6], [13/6, 1]]
//   b = eigh(A @ A.T)[1][:, -1]; s2 = b @ A @ b; 0.5 * sqrt(s2) * U.T @ b
TEST(FedMd, AnAnchorsStepByNumpy) {
  const Clients clients = {{{{1, 0, 1}, {0, 2, 0}, {1, 1, 0}, {2, 0, -1}}, {2, 1, 3, 1}, 0}};
  const std::vector<Vec> items = {{1, 0, 0, 0, 1, 0}, {0, 0, 0}};
  DescendNote note;
  DescendReply reply = asked(clients, kDescend, items, note);
  EXPECT_NEAR(reply.square, 4.154731379530685, 1e-12);
  const Vec expected = {0.8401036412945039, 0.5769824232733493, 0.0};
  for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(Vec(reply.model)[j], expected[j], 1e-12);
  EXPECT_FALSE(reply.stopped);
  // (2) as printed: samples 1, 3 and 2, 4 are paired; A = [[3, 3], [2, 0]].
  note.one_pair = true;
  reply = asked(clients, kDescend, items, note);
  EXPECT_NEAR(reply.square, 4.265863337187867, 1e-12);
  EXPECT_NEAR(Vec(reply.model)[0], 0.9685522856779477, 1e-12);
  note.enough = 2.1;  // sigma = 2.065
  reply = asked(clients, kDescend, items, note);
  EXPECT_TRUE(reply.stopped);
  EXPECT_EQ(Vec(reply.model), (Vec{0, 0, 0}));
}

// The residuals of a general loss are its negative gradients, sample by sample.
TEST(FedMd, ResidualsAreNegativeGradients) {
  for (const char* toml : {"intercept = true\nl2 = 0.3", "features = \"polynomial\"\nfactor = 2.0", ""}) {
    TinyRun run({{{{1, 2}, {0, -1}, {3, 1}}, {1, 4, 2}, 0}}, {.model_toml = toml});
    ClientView view(*run.engine, 0, {}, {});
    Vec w(run.model->size());
    for (std::size_t j = 0; j < w.size(); ++j) w[j] = 0.5 - 0.25 * static_cast<double>(j);
    const Vec rows = residuals(view, view.to_shared(w), 3);
    const Batch<double> all = view.batch<double>(Part::train);
    for (std::size_t j = 0; j < 3; ++j) {
      Vec gradient(w.size());
      const Batch<double> one{1, 2, all.x.subspan(2 * j, 2), all.y.subspan(j, 1), {}};
      run.model->gradient(std::span<const double>(w), one, std::span<double>(gradient));
      for (std::size_t i = 0; i < w.size(); ++i)
        EXPECT_NEAR(rows[j * w.size() + i], -gradient[i], 1e-13) << toml;
    }
  }
}

// Remark 3: other losses, with and without a first layer that scores are linear in.
TEST(FedMd, ResidualsOfOtherLosses) {
  struct Kind {
    const char *name, *toml;
    std::uint32_t classes;
  };
  for (const Kind& kind : {Kind{"softmax", "intercept = true\nl2 = 0.2", 3}, Kind{"logistic", "", 2},
                           Kind{"mlp", "hidden = [4]", 3}}) {
    const GivenFederation federation = mixture(classification(5, kind.classes), {6}, 1, 2);
    const auto model = bound_model(kind.name, kind.toml, federation.shape());
    const auto solver = make_plugin<Solver>("gd");
    const Engine engine{federation, *model, *solver, Precision::f64, 1};
    ClientView view(engine, 0, {}, {});
    Stream stream(5, {Purpose::test});
    Vec w(model->size());
    stream.normals(w);
    const Vec rows = residuals(view, view.to_shared(w), 6);
    const Batch<double> all = view.batch<double>(Part::train);
    for (std::size_t j = 0; j < 6; ++j) {
      Vec gradient(w.size());
      const Batch<double> one{1, 5, all.x.subspan(5 * j, 5), all.y.subspan(j, 1), {}};
      model->gradient(std::span<const double>(w), one, std::span<double>(gradient));
      for (std::size_t i = 0; i < w.size(); ++i)
        EXPECT_NEAR(rows[j * w.size() + i], -gradient[i], 1e-12) << kind.name;
    }
  }
}

}  // namespace
}  // namespace coterie::fedmd_clients_test
