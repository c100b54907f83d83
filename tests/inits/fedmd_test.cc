#include <gtest/gtest.h>

#include <cmath>

#include "inits/fedmd_clients.h"
#include "inits/fedmd_subspaces.h"
#include "models/bound_model.h"
#include "run/session.h"
#include "support/given_federation.h"
#include "support/tiny_federation.h"

namespace coterie {
namespace {

using Clients = std::vector<TinyFederation::Client>;

// Clients of two clusters with parameters (2, 1, 0) and (-1, 0, 2), without noise: `many` of each, with so
// many samples.
Clients two_clusters(std::size_t many, std::size_t samples) {
  const Vec truth[2] = {{2, 1, 0}, {-1, 0, 2}};
  Clients clients;
  for (std::size_t i = 0; i < 2 * many; ++i) {
    Stream stream(4, {Purpose::test, 0, 0, static_cast<std::uint32_t>(i)});
    TinyFederation::Client client;
    client.truth = i % 2;
    for (std::size_t j = 0; j < samples; ++j) {
      Vec x(3);
      stream.normals(x);
      client.y.push_back(x[0] * truth[i % 2][0] + x[1] * truth[i % 2][1] + x[2] * truth[i % 2][2]);
      client.x.push_back(x);
    }
    clients.push_back(client);
  }
  return clients;
}

struct Made {
  explicit Made(const Clients& clients, const std::string& toml = "", TinyRun::Choices choices = {})
      : run(clients, with_ifca(choices)) {
    start =
        make_plugin<Init>("fedmd", toml)->make({*run.fleet, *run.setting, *run.algorithm, [&](std::uint32_t) {
                                                  ++logged;
                                                }});
    events = run.fleet->take_events();
  }
  static TinyRun::Choices with_ifca(TinyRun::Choices choices) {
    choices.algorithm = "ifca";
    if (choices.clusters == 1) choices.clusters = 2;
    return choices;
  }
  std::vector<Event> of_kind(const std::string& kind) const {
    std::vector<Event> some;
    for (const Event& event : events) {
      if (event.kind == kind) some.push_back(event);
    }
    return some;
  }
  // How far the farther truth is from its nearest model.
  double error() const {
    double worst = 0;
    for (const Vec& truth : {Vec{2, 1, 0}, Vec{-1, 0, 2}}) {
      double nearest = 1e300;
      for (const Vec& model : start.models) nearest = std::min(nearest, squared_distance(model, truth));
      worst = std::max(worst, std::sqrt(nearest));
    }
    return worst;
  }
  TinyRun run;
  Start start;
  std::vector<Event> events;
  int logged = 0;
};

// --- the client half
// --------------------------------------------------------------------------------------------
template <class Note, class Reply>
Reply asked(const Clients& clients, const Job<Note, Reply>& job, const std::vector<Vec>& items,
            const Note& note) {
  TinyRun run(clients, {});
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
    const Vec rows = residuals(view, view.share(w), 3);
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
    const Vec rows = residuals(view, view.share(w), 6);
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

// --- the whole
// ---------------------------------------------------------------------------------------------------
TEST(FedMd, AnchorsArriveAtTheirClustersFromAnywhere) {
  for (const char* start : {"start = \"random\"", "start = \"zero\"", "scale = 300.0\nrounds = 40"}) {
    const Made made(two_clusters(30, 24), start);
    EXPECT_LT(made.error(), 0.75) << start;  // a fifth of the distance between the clusters
    EXPECT_EQ(made.start.models.size(), 2u);
    EXPECT_EQ(made.of_kind("anchor").size(), 5u) << "3 K log K";
  }
}

TEST(FedMd, GivenConstantsDoToo) {
  const Made made(two_clusters(30, 24), "delta = 3.7\nalpha = 1.0\nbeta = 1.0\nrounds = 8");
  EXPECT_LT(made.error(), 0.75);
  EXPECT_TRUE(made.of_kind("curvature").empty());
  EXPECT_EQ(made.of_kind("anchors-grouped").size(), 1u);
  // Sigma and the distances of all pairs of anchors are there to read.
  EXPECT_EQ(made.of_kind("moments")[0].numbers.size(), 5u);
  EXPECT_EQ(made.of_kind("anchors-grouped")[0].numbers.size(), 5u + 10u);
}

// U of the first round, at theta = 0, for the anchor 0.
Vec first_subspace(const Clients& clients, std::size_t directions, const FedMdOptions& options) {
  TinyRun run(clients, Made::with_ifca({}));
  const InitContext context{*run.fleet, *run.setting, *run.algorithm, nullptr};
  run.fleet->begin_round(1, Purpose::restart);
  const std::vector<ClientId> everyone = run.fleet->everyone();
  Descent descent{{0}, {Vec(run.model->size(), 0.0)}, {true}};
  return Subspaces(context, options, everyone, 1).find(descent, directions)[0];
}

// Y = (9 e1 e1' + 4 e2 e2') / 2: a client counts once however many samples it has, else e2 would lead.
TEST(FedMd, ClientsCountEquallyInY) {
  const Clients clients = {{{{1, 0}, {1, 0}}, {3, 3}, 0}, {std::vector<Vec>(8, Vec{0, 1}), Vec(8, 2.0), 1}};
  for (const char* how : {"svd", "iteration"}) {
    FedMdOptions options;
    options.subspace = how;
    const Vec u = first_subspace(clients, 1, options);
    EXPECT_NEAR(std::fabs(u[0]), 1, 1e-3) << how;  // ten multiplications: (4/9)^10
    EXPECT_NEAR(u[1], 0, 1e-3) << how;
  }
}

// As many multiplications as there are by default give the span of the top singular vectors.
TEST(FedMd, TenMultiplicationsAreEnough) {
  FedMdOptions dense, iterated;
  dense.subspace = "svd";
  const Clients clients = two_clusters(20, 6);
  const Vec a = first_subspace(clients, 2, dense), b = first_subspace(clients, 2, iterated);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_NEAR(a[i] * a[j] + a[3 + i] * a[3 + j], b[i] * b[j] + b[3 + i] * b[3 + j], 1e-3);
    }
  }
}

TEST(FedMd, OrthogonalIterationAgreesWithADenseDecomposition) {
  const std::string same = "delta = 3.7\nalpha = 1.0\nbeta = 1.0\nrounds = 4\n";
  const Made dense(two_clusters(20, 6), same + "subspace = \"svd\"");
  const Made iterated(two_clusters(20, 6), same + "iterations = 200");
  ASSERT_EQ(dense.start.models.size(), iterated.start.models.size());
  for (std::size_t k = 0; k < 2; ++k) {
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_NEAR(dense.start.models[k][j], iterated.start.models[k][j], 1e-6);
    }
  }
}

// Inputs in other units are found just so: the models are in the inverse ones.
TEST(FedMd, UnitsOfTheInputsDoNotMatter) {
  for (const double unit : {1e-4, 1e4}) {
    Clients clients = two_clusters(30, 24);
    for (auto& client : clients) {
      for (Vec& x : client.x) {
        for (double& value : x) value *= unit;
      }
    }
    Made made(clients, "start = \"zero\"");
    for (Vec& model : made.start.models) {
      for (double& value : model) value *= unit;
    }
    EXPECT_LT(made.error(), 0.75) << unit;
    EXPECT_TRUE(made.of_kind("rejected").empty()) << unit;
  }
}

// Clusters may differ in how their inputs are spread, too.
TEST(FedMd, ClustersWithOtherCovariances) {
  Clients clients = two_clusters(30, 24);
  const Vec truth = {-1, 0, 2};
  for (std::size_t i = 1; i < clients.size(); i += 2) {
    for (std::size_t j = 0; j < clients[i].x.size(); ++j) {
      Vec& x = clients[i].x[j];
      x = {1.4 * x[0] + 0.3 * x[1], 0.8 * x[1], 0.3 * x[0] + x[2]};
      clients[i].y[j] = x[0] * truth[0] + x[1] * truth[1] + x[2] * truth[2];
    }
  }
  EXPECT_LT(Made(clients, "rounds = 40").error(), 0.75);
}

// The curvature is that of the clients that can be used, as if the others were not there.
TEST(FedMd, CurvatureOfTheUsableClients) {
  Clients clients = two_clusters(10, 12);
  const Made without(clients, "anchors = \"ids\"\nids = [0, 1, 2, 3]");
  clients.push_back(clients.back());
  clients.back().y[0] = std::nan("");
  const Made with(clients, "anchors = \"ids\"\nids = [0, 1, 2, 3]");
  EXPECT_EQ(with.of_kind("curvature")[0].numbers, without.of_kind("curvature")[0].numbers);
}

TEST(FedMd, EachAnchorSaysWhyItStops) {
  const Made made(two_clusters(30, 10), "delta = 3.7\nepsilon = 0.2\nrounds = 30\nalpha = 1.0\nbeta = 1.0");
  const std::vector<Event> stops = made.of_kind("anchor-stopped");
  ASSERT_EQ(stops.size(), 5u);
  for (const Event& stop : stops) {
    EXPECT_TRUE(stop.client.has_value());
    EXPECT_NEAR(stop.numbers[1].second, 0.2 * 3.7 / std::sqrt(2.0), 1e-12);
    EXPECT_LE(stop.numbers[0].second, stop.numbers[1].second * stop.numbers[1].second);
  }
  EXPECT_LT(made.logged, 30) << "when all have stopped, rounds end";
}

// 3 anchors, d = 3, K = 2, 8 bytes a number. m = 60 clients, T1 = 4, and T = 2 rounds with all
// anchors moving:
//   down  8 a d + T [m a d + T1 m a K d + a (K d + d)] 8      up  16 a + T [T1 m a K d 8 + a (8 d + 8)]
TEST(FedMd, BytesAreThoseOfTheFormula) {
  const std::string toml = "count = 3\nrounds = 2\niterations = 4\nalpha = 1.0\nbeta = 1.0\ndelta = 0.01\n";
  const std::uint64_t m = 60, a = 3, d = 3, k = 2;
  Made made(two_clusters(30, 10), toml);
  EXPECT_EQ(made.run.fleet->traffic().down,
            8 * a * d + 2 * (m * a * d + 4 * m * a * k * d + a * (k * d + d)) * 8);
  EXPECT_EQ(made.run.fleet->traffic().up, 16 * a + 2 * (4 * m * a * k * d * 8 + a * (8 * d + 8)));
  // Two perturbed models for each client instead of one, a cohort of 20, and floats.
  Made noisy(two_clusters(30, 10), toml + "noise = 0.1\ncohort = 20\n", {.precision = Precision::f32});
  EXPECT_EQ(noisy.run.fleet->traffic().down,
            4 * a * d + 2 * (20 * 2 * a * d + 4 * 20 * a * k * d + a * (k * d + d)) * 4);
  // Whole matrices: no Q down, d x d up.
  Made dense(two_clusters(30, 10), toml + "subspace = \"svd\"\n");
  EXPECT_EQ(dense.run.fleet->traffic().down, 8 * a * d + 2 * (m * a * d + a * (k * d + d)) * 8);
  EXPECT_EQ(dense.run.fleet->traffic().up, 16 * a + 2 * (m * a * d * d * 8 + a * (8 * d + 8)));
  // alpha and beta estimated: d products (Lanczos ends with the dimension) and the gradient at 0, with its
  // value.
  Made estimated(two_clusters(30, 10), "count = 3\nrounds = 2\niterations = 4\ndelta = 0.01\n");
  EXPECT_EQ(estimated.run.fleet->traffic().up - made.run.fleet->traffic().up, (d + 1) * m * (8 * d + 8));
  EXPECT_EQ(estimated.run.fleet->traffic().down - made.run.fleet->traffic().down, (d + 1) * m * 8 * d);
}

TEST(FedMd, PerturbedBroadcastsStillLeadThere) {
  EXPECT_LT(Made(two_clusters(40, 24), "noise = 0.3").error(), 0.75);
}

TEST(FedMd, FreshDataAsksEachClientInOneRoundOnly) {
  Clients clients = two_clusters(40, 4);
  const Clients large = two_clusters(2, 60);
  clients.insert(clients.end(), large.begin(), large.end());
  Made made(clients,
            "data = \"fresh\"\nrounds = 3\ncohort = 20\ncount = 4\nalpha = 1.0\nbeta = 1.0\niterations = 2");
  int asked = 0;
  for (std::size_t i = 0; i < 80; ++i) {
    const int touched = made.run.federation.touched[i];
    EXPECT_TRUE(touched == 0 || touched == 2)
        << "client " << i << " looked at its data " << touched << " times";
    asked += touched > 0 ? 1 : 0;
  }
  EXPECT_EQ(asked, 60);
  EXPECT_THROW(Made(clients, "data = \"fresh\"\nrounds = 3\ncohort = 30"), Error);
}

TEST(FedMd, ClientsWithoutAPairAreNotAsked) {
  Clients clients = two_clusters(30, 10);
  clients.push_back({{{1, 0, 0}}, {100}, 0});
  const Made made(clients);
  EXPECT_EQ(made.run.federation.touched[60], 0);
  ASSERT_EQ(made.of_kind("no-pairs").size(), 1u);
  EXPECT_EQ(made.of_kind("no-pairs")[0].numbers[0].second, 1);
  EXPECT_THROW(Made({{{{1, 0, 0}}, {1}, 0}}), Error) << "nobody has a pair";
}

TEST(FedMd, AnchorsBySizeUniformlyOrByName) {
  Clients clients = two_clusters(20, 6);
  const Clients large = two_clusters(2, 20);
  clients.insert(clients.begin() + 7, large.begin(), large.end());
  auto anchors = [&](const std::string& toml) {
    std::vector<ClientId> ids;
    for (const Event& event : Made(clients, toml).of_kind("anchor")) ids.push_back(*event.client);
    return ids;
  };
  EXPECT_EQ(anchors("count = 4"), (std::vector<ClientId>{7, 8, 9, 10}));
  EXPECT_EQ(anchors("anchors = \"ids\"\nids = [30, 3, 3]"), (std::vector<ClientId>{3, 30}));
  EXPECT_EQ(anchors("anchors = \"uniform\"\ncount = 6").size(), 6u);
  EXPECT_NE(anchors("anchors = \"uniform\"\ncount = 4"), anchors("count = 4"));
  EXPECT_THROW(anchors("anchors = \"ids\"\nids = [44]"), Error);
  EXPECT_THROW(anchors("ids = [3]"), Error);
  EXPECT_THROW(anchors("iterations = 3"), Error);
}

TEST(FedMd, AClusterWithoutAnchorIsSaid) {
  // Even ids are of the first cluster.
  const Made made(two_clusters(30, 10),
                  "anchors = \"ids\"\nids = [0, 2, 4]\ndelta = 3.7\nalpha = 1.0\nbeta = 1.0");
  EXPECT_EQ(made.start.models.size(), 2u);
  ASSERT_EQ(made.of_kind("too-few-groups").size(), 1u);
  EXPECT_EQ(made.of_kind("anchors-grouped")[0].numbers[0].second, 1);
}

// k-means makes its two groups of three anchors of one cluster: they are hardly apart.
TEST(FedMd, AClusterWithoutAnchorIsSaidWithoutDeltaToo) {
  const Made one(two_clusters(30, 24), "anchors = \"ids\"\nids = [0, 2, 4, 6, 8, 10]");
  ASSERT_EQ(one.of_kind("unclear-groups").size(), 1u);
  const Made both(two_clusters(30, 24), "anchors = \"ids\"\nids = [0, 1, 2, 3, 4, 5]");
  EXPECT_TRUE(both.of_kind("unclear-groups").empty());
}

TEST(FedMd, SaysThatRoundsWereTooFew) {
  const Made made(two_clusters(30, 24), "rounds = 1");
  ASSERT_EQ(made.of_kind("anchors-on-their-way").size(), 1u);
  EXPECT_EQ(made.of_kind("anchors-on-their-way")[0].numbers[0].second, 5);
}

TEST(FedMd, MoreGroupsThanModelsAreJoined) {
  const Made made(two_clusters(30, 24), "delta = 1e-9\nalpha = 1.0\nbeta = 1.0");
  EXPECT_EQ(made.start.models.size(), 2u);
  EXPECT_EQ(made.of_kind("anchors-grouped")[0].numbers[1].second, 5) << "groups before joins";
  EXPECT_LT(made.error(), 0.75);
}

TEST(FedMd, AnAnchorWithNumbersThatAreNotFiniteIsLostAndAClientLeftOut) {
  Clients clients = two_clusters(30, 24);
  clients[4].y[0] = std::nan("");
  const Made made(clients, "anchors = \"ids\"\nids = [0, 1, 2, 3, 4]");
  EXPECT_LT(made.error(), 0.75);
  ASSERT_EQ(made.of_kind("anchor-lost").size(), 1u);
  EXPECT_EQ(made.of_kind("anchor-lost")[0].client, ClientId{4});
  EXPECT_FALSE(made.of_kind("rejected").empty());
}

TEST(FedMd, OneModelAndOneClient) {
  const Clients one = {{{{1, 0}, {0, 1}, {1, 1}, {2, 1}}, {1, 2, 3, 4}, 0}};
  TinyRun run(one, {.algorithm = "fedavg", .clusters = 1});
  const Start start = make_plugin<Init>("fedmd")->make({*run.fleet, *run.setting, *run.algorithm, nullptr});
  ASSERT_EQ(start.models.size(), 1u);
  EXPECT_TRUE(std::isfinite(start.models[0][0]));
}

TEST(FedMd, SameBitsThroughAScramblingNetworkAndAtAnyNumberOfThreads) {
  const Clients clients = two_clusters(12, 5);
  const Made one(clients, "rounds = 3", {.fleet = {"threads", 1, 0.5, 4}});
  const Made three(clients, "rounds = 3", {.fleet = {"threads", 4, 0.5, 4}, .threads = 3});
  const Made scrambled(clients, "rounds = 3", {.fleet = {"scramble", 1, 0.5, 4}});
  EXPECT_EQ(one.start.models, three.start.models);
  EXPECT_EQ(one.start.models, scrambled.start.models);
}

TEST(FedMd, StartsAnyMethod) {
  for (const std::string& method : Registry<Algorithm>::instance().names()) {
    SCOPED_TRACE(method);
    const std::string text = R"(
[data]
source = "mixed-linear"
clusters = 2
dimension = 3
[clients]
count = 20
samples = 8
[model]
kind = "linear"
[local]
solver = "gd"
[rounds]
participation = 0.5
[clusters]
count = 2
init = "fedmd"
[clusters.fedmd]
rounds = 3
[algorithm]
kind = ")" + method + "\"\n";
    Problems problems;
    const Config config = read_config(parse_toml(text, "test"), "test", problems);
    problems.raise_if_any();
    Session session(config, "", 1, "");
    session.start();
    session.round(1);
    session.round(2);
    for (const Vec& model : session.algorithm().offer().models) {
      for (const double value : model) EXPECT_TRUE(std::isfinite(value));
    }
    EXPECT_GT(session.fleet().traffic().up, 0u);
  }
}

}  // namespace
}  // namespace coterie
