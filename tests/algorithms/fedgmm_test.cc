// FedGMM on a few clients.
#include <gtest/gtest.h>

#include <cmath>

#include "algorithms/tier_states.h"
#include "algorithms/tiers/gaussians.h"
#include "run/session.h"
#include "support/tiny_federation.h"

namespace coterie::fedgmm_test {
namespace {

ClassRun::Choices choices(const std::string& toml = "embedding = 2\nridge = 0.1") {
  ClassRun::Choices out;
  out.algorithm = "fedgmm";
  out.algorithm_toml = toml;
  out.solver_toml = "rate = 1e-9\nsteps = 1";
  return out;
}

// Two models that disagree on the sign of the first input; four rows.
const std::vector<LabelledRow> kRows = {{{2, 0}, 0}, {{2.5, 1}, 0}, {{-2, 1}, 0}, {{-1.5, -1}, 0}};
const std::vector<Vec> kModels = {{1, -1, 0, 0, 0, 0}, {-1, 1, 0, 0, 0, 0}};

// In the first round there are no Gaussians: responsibilities are those of the losses.
TEST(FedGmm, BeginsAsFedEm) {
  ClassRun run(GivenFederation({samples_of(kRows, 2)}), choices());
  run.start(kModels);
  run.round({0});
  double want = 0;
  for (const LabelledRow& row : kRows) {
    const double a = 1 / (1 + std::exp(-2 * row.x[0])), b = 1 - a;  // probabilities of class 0
    want += a / (a + b) / 4;
  }
  EXPECT_NEAR(clusters(run).weights[0][0], want, 1e-12);
}

// The figures of the second round are Gaussians that fit the rows under the first round's responsibilities;
// by these, and the weights of the first, come the weights of the second.
TEST(FedGmm, FitsAGaussianToEachClustersInputs) {
  ClassRun run(GivenFederation({samples_of(kRows, 2)}), choices());
  run.start(kModels);
  run.round({0});
  const Vec before = clusters(run).weights[0];
  const Vec figures = run.algorithm->offer().extras[0];
  ASSERT_EQ(figures.size(), 2 * moment_size(2));
  // The projection is not known here, but that it is linear: means of z are z of means, for which two rows
  // suffice.
  std::vector<Gaussian> fits;
  for (std::size_t k = 0; k < 2; ++k) {
    const auto at = figures.begin() + static_cast<std::ptrdiff_t>(k * moment_size(2));
    EXPECT_EQ(*at, 1);
    fits.push_back({Vec(at + 1, at + 3), Vec(at + 3, at + 7)});
  }
  // Weighted by both clusters' shares, the means are that of all rows: z of (0.25, 0.25).
  Stream stream(1, {Purpose::features, 0, 1, 0});
  Vec projection(4);
  stream.normals(projection);
  for (double& value : projection) value /= std::sqrt(2.0);
  const auto z_of = [&](const Vec& x) {
    return Vec{x[0] * projection[0] + x[1] * projection[2], x[0] * projection[1] + x[1] * projection[3]};
  };
  for (std::size_t j = 0; j < 2; ++j) {
    EXPECT_NEAR(before[0] * fits[0].mean[j] + before[1] * fits[1].mean[j], z_of({0.25, 0.25})[j], 1e-12);
  }
  run.round({0});
  double want = 0;
  for (const LabelledRow& row : kRows) {
    const double a = 1 / (1 + std::exp(-2 * row.x[0])), b = 1 - a;
    const double first = before[0] * a * std::exp(LogDensity(fits[0])(z_of(row.x)));
    const double second = before[1] * b * std::exp(LogDensity(fits[1])(z_of(row.x)));
    want += first / (first + second) / 4;
  }
  EXPECT_NEAR(clusters(run).weights[0][0], want, 1e-9);
}

// Inputs on the left are labelled by one model, those on the right by the other: an input says whose it is.
TEST(FedGmm, PredictsByTheClusterOfTheInput) {
  std::vector<LabelledRow> rows;
  for (int j = -3; j <= 3; ++j) {
    const double s = 0.1 * j;
    rows.push_back({{10 + s, 1 + 0.3 * s * s}, 0});
    rows.push_back({{-10 + s, 1 - s}, 0});
  }
  ClassRun run(GivenFederation({samples_of(rows, 2)}), choices());
  run.start(kModels);
  for (int t = 0; t < 5; ++t) run.round({0});
  struct Reply {
    Vec outputs, weights;
    void fields(Archive& a) { a(outputs, weights); }
  };
  Job<LookNote, Reply> look("look", [&](const Shelf& shelf, const LookNote&, ClientView& view) {
    const Vec weights = run.algorithm->settle(shelf, view);
    return Reply{run.algorithm->predict(shelf, weights, view, Part::test).outputs, weights};
  });
  const Lent lent(*run.program, look);
  Collect<Reply, Reply> out([](Reply& reply) { return reply; });
  const std::vector<ClientId> one{0};
  run.fleet->ask_eval(look, one, Shelf(run.algorithm->offer().items(), Precision::f64),
                      [](ClientId) { return LookNote{}; }, {&out});
  const Reply& got = out.items[0].second;
  EXPECT_NEAR(got.weights[0], 0.5, 1e-3);
  for (std::size_t j = 0; j < rows.size(); ++j) EXPECT_GT(got.outputs[j * 2], 0.99) << "row " << j;
}

// The second model gives every row a probability of 1/(1 + e^4). Its share falls as 0.018, 0.018^2, ..., and
// from the fourth round on is too small for a Gaussian; it keeps the last, which is the other's too, so that
// a client that never took part finds the first model by its losses.
TEST(FedGmm, AClusterThatLostItsSamplesKeepsItsGaussian) {
  const std::vector<LabelledRow> rows = {{{30, 0}, 0}, {{0, 40}, 0}, {{-20, 10}, 0}, {{5, -50}, 0}};
  ClassRun run(GivenFederation({samples_of(rows, 2), samples_of(rows, 2)}), choices());
  run.start({{0, 0, 0, 0, 4, 0}, {0, 0, 0, 0, 0, 4}});
  for (int t = 0; t < 6; ++t) run.round({0});
  const Vec figures = run.algorithm->offer().extras[0];
  const std::size_t size = moment_size(2);
  EXPECT_LT(4 * clusters(run).weights[0][1], 1e-6);
  for (std::size_t j = 0; j < size; ++j)
    EXPECT_NEAR(figures[size + j], figures[j], 1e-6 * std::fabs(figures[j])) << j;
  EXPECT_EQ(figures[size], 1);

  EXPECT_GT(settled(run, 1)[0], 0.999);
}

// A model that never had a sample: its inputs are not less likely, nor more, than those of all.
TEST(FedGmm, AClusterThatNeverHadSamplesHasTheGaussianOfAll) {
  ClassRun run(GivenFederation({samples_of(kRows, 2)}), choices());
  run.start({{0, 0, 0, 0, 40, 0}, {0, 0, 0, 0, 0, 40}});
  run.round({0});
  const Vec figures = run.algorithm->offer().extras[0];
  const std::size_t size = moment_size(2);
  for (std::size_t j = 0; j < size; ++j) EXPECT_NEAR(figures[size + j], figures[j], 1e-9) << j;
  EXPECT_EQ(figures[size], 1);
}

// Inputs around 1000 (1, 1, 1) have squares whose rounding in single precision is more than the ridge of
// 0.01; projected to three numbers some covariance would not be positive definite, and the run would end.
TEST(FedGmm, GoesOnWhereInputsAreFarFromZero) {
  for (const double scale : {1e3, 1e5}) {
    std::vector<TinyFederation::Client> clients(3);
    Stream stream(5, {Purpose::features, 0, 0, 0});
    for (std::size_t i = 0; i < clients.size(); ++i) {
      for (int j = 0; j < 8; ++j) {
        clients[i].x.push_back({});
        for (int c = 0; c < 3; ++c) clients[i].x.back().push_back(scale * (1 + 1e-5 * stream.normal()));
        clients[i].y.push_back(stream.normal());
      }
    }
    TinyRun::Choices tiny;
    tiny.algorithm = "fedgmm";
    tiny.clusters = 2;
    tiny.precision = Precision::f32;
    tiny.solver_toml = "rate = 1e-12\nsteps = 1";
    TinyRun run(clients, tiny);
    run.start({Vec(3, 0.0), Vec(3, 1e-3 / scale)});
    for (int t = 0; t < 3; ++t) run.round({0, 1, 2});
    for (const Event& event : run.fleet->take_events()) EXPECT_NE(event.kind, "rejected") << event.text;
    for (ClientId i = 0; i < 3; ++i) {
      const Vec& weights = clusters(run).weights[i];
      EXPECT_NEAR(weights[0] + weights[1], 1, 1e-5) << scale;
    }
  }
}

// Moments of 64 numbers are 1 + 64 + 64 * 64; with two clusters 6 clients tell 400 kB.
TEST(FedGmm, CountsItsMomentsAgainstTheMemoryOfTheFleet) {
  const std::string text = R"(
[data]
source = "digits"
[clients]
count = 6
samples = 20
[model]
kind = "softmax"
[clusters]
count = 2
init = "random"
[algorithm]
kind = "fedgmm"
[algorithm.fedgmm]
embedding = 64
[fleet]
memory = )";
  const auto play = [&](const std::string& memory) {
    Problems problems;
    Config config = read_config(parse_toml(text + memory, "test"), "test", problems);
    problems.raise_if_any();
    Session session(config, "", 1, "");
    session.start();
    session.round(1);
  };
  EXPECT_NO_THROW(play("0.001"));
  EXPECT_THROW(play("0.0003"), Error);
}

}  // namespace
}  // namespace coterie::fedgmm_test
