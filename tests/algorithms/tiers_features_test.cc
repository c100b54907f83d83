// Prototypes under an MLP: whose features they are, worked out by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "algorithms/tier_states.h"

namespace coterie::tiers_features_test {
namespace {

// Two inputs, two hidden numbers, three classes: weights by input, then biases, of both layers.
using Rows = std::vector<LabelledRow>;

// g(x, phi): max(0, W'x + b), of the model as given.
Vec features(const Vec& w, const Vec& x) {
  return {std::max(0.0, w[0] * x[0] + w[2] * x[1] + w[4]), std::max(0.0, w[1] * x[0] + w[3] * x[1] + w[5])};
}

// Eq. (11): the mean features of a class, or of all rows; nothing where there are none.
Vec prototype(const Vec& w, const Rows& rows, int label) {
  Vec sum(2, 0.0);
  double count = 0;
  for (const LabelledRow& row : rows) {
    if (label >= 0 && row.label != label) continue;
    const Vec z = features(w, row.x);
    for (std::size_t j = 0; j < 2; ++j) sum[j] += z[j];
    ++count;
  }
  if (count == 0) return {};
  return {sum[0] / count, sum[1] / count};
}

// Eq. (9): the largest 1 - cosine over the classes of both, and, if told, that of all rows.
double apart(const Vec& w, const Rows& a, const Rows& b, bool overall) {
  double largest = 0;
  for (int label = overall ? -1 : 0; label < 3; ++label) {
    const Vec p = prototype(w, a, label), q = prototype(w, b, label);
    if (p.empty() || q.empty()) continue;
    const double cosine = (p[0] * q[0] + p[1] * q[1]) / (std::hypot(p[0], p[1]) * std::hypot(q[0], q[1]));
    largest = std::max(largest, 1 - cosine);
  }
  return largest;
}

ClassRun::Choices choices(const std::string& options) {
  ClassRun::Choices out;
  out.algorithm = "hcfl-plus";
  out.algorithm_toml = options;
  out.model = "mlp";
  out.model_toml = "hidden = [2]";
  out.solver_toml = "rate = 1\nsteps = 1";
  return out;
}

ClassRun run_of(const std::vector<Rows>& clients, const std::string& options) {
  std::vector<Samples> samples;
  for (const Rows& rows : clients) samples.push_back(samples_of(rows, 3));
  return ClassRun(GivenFederation(std::move(samples)), choices(options));
}

const std::vector<Rows> kClients = {{{{1, 0.2}, 0}, {{0.8, -0.5}, 0}, {{0.1, 1}, 1}},
                                    {{{0.9, 0.4}, 0}, {{-0.3, 0.7}, 1}},
                                    {{{0.2, 1.2}, 0}, {{1.1, 0.3}, 1}, {{0.5, 0.9}, 1}}};
const Vec kLayer = {1, -0.5, 0.3, 0.8, 0.2, 0.4}, kOther = {-0.6, 0.9, 0.7, 0.1, 0.5, 0.3};

Vec whole(const Vec& layer, const Vec& bias) {
  Vec w = layer;
  w.insert(w.end(), {0.1, -0.2, 0.1, -0.1, 0.2, 0.1});
  w.insert(w.end(), bias.begin(), bias.end());
  return w;
}

// The first three are in the first cluster; the fourth has a class of its own, which the second expects. D is
// of the extractor as it was sent, though a step of rate 1 has changed it by the time the clients answer.
void expect_spread(const std::string& backbone, bool overall) {
  std::vector<Rows> clients = kClients;
  clients.push_back({{{1, 0.3}, 2}});
  ClassRun run = run_of(clients, "rho = 2\nbackbone = \"" + backbone + "\"");
  const std::vector<Vec> models = {whole(kLayer, {0, 0, 0}), whole(kLayer, {0, 0, 3})};
  run.start(models);
  run.round({0, 1, 2, 3});
  double largest = 0, sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      const double weights = clusters(run).weights[i][0] * clusters(run).weights[j][0];
      const double d = i == j ? 0 : weights * apart(models[0], kClients[i], kClients[j], overall);
      largest = std::max(largest, d);
      sum += d;
    }
  }
  const std::vector<Event> events = of_kind(*run.fleet, "whole");
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(number(events[0], "cluster"), 0);
  EXPECT_NEAR(number(events[0], "largest"), largest, 1e-12);
  EXPECT_NEAR(number(events[0], "mean"), sum / 9, 1e-12);
  EXPECT_GT(std::fabs(apart(run.models()[0], kClients[0], kClients[2], overall) -
                      apart(models[0], kClients[0], kClients[2], overall)),
            1e-3)
      << "training changed the features";
}

TEST(TierFeatures, ClassPrototypesAreOfTheExtractorAsReceived) { expect_spread("fedrc", false); }
TEST(TierFeatures, SoAreThoseOfAllRows) { expect_spread("fedem", true); }

// Whole models: clients 0 and 1 are in the second cluster, and are compared under its model.
TEST(TierFeatures, OfWholeModelsAreThoseOfTheLikeliest) {
  const std::vector<Rows> clients = {kClients[0], kClients[1], {{{1, 0.3}, 2}}};
  ClassRun run = run_of(clients, "rho = 2\nextractor = false\nbackbone = \"fedem\"");
  const std::vector<Vec> models = {whole(kLayer, {0, 0, 3}), whole(kOther, {0, 0, 0})};
  run.start(models);
  run.round({0, 1, 2});
  const std::vector<Event> events = of_kind(*run.fleet, "whole");
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(number(events[0], "cluster"), 1);
  const double weights = clusters(run).weights[0][1] * clusters(run).weights[1][1];
  EXPECT_NEAR(number(events[0], "largest"), weights * apart(models[1], clients[0], clients[1], true), 1e-12);
}

// All have class 2. Client 2 begins with the first model and ends at the second, to which one step takes it.
// Its features are of the first: it is compared with nobody, and chooses again when the cluster splits.
TEST(TierFeatures, WhoComesFromAnotherModelIsNotCompared) {
  std::vector<Rows> clients = {kClients[0], kClients[1], {{{3, -3}, 2}, {{4, -1}, 2}}};
  for (Rows& rows : clients) {
    for (LabelledRow& row : rows) row.label = 2;
  }
  ClassRun run = run_of(clients, "rho = 0.001\nextractor = false\nbackbone = \"fesem\"");
  std::vector<Vec> models = {whole(kLayer, {0, 0, 0}), whole(kLayer, {0, 0, 0})};
  const Vec x = {3, -3, 4, -1}, y = {2, 2};
  Vec step(models[0].size());
  run.model->gradient(models[0], Batch<double>{2, 2, x, y, {}}, step);
  for (std::size_t j = 0; j < step.size(); ++j) models[1][j] -= step[j];
  run.algorithm->start(*run.fleet, {models, {1, 1, 0}});
  run.round({0, 1, 2});
  const std::vector<Event> events = of_kind(*run.fleet, "split");
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(number(events[0], "cluster"), 1);
  EXPECT_NEAR(number(events[0], "largest"), apart(models[1], clients[0], clients[1], true), 1e-12);
  EXPECT_EQ(number(events[0], "stay") + number(events[0], "go"), 2);
  EXPECT_EQ(number(events[0], "undecided"), 1);
  EXPECT_NE(clusters(run).home(0), clusters(run).home(1));
  EXPECT_EQ(clusters(run).home(2), kUnknownCluster);
}

}  // namespace
}  // namespace coterie::tiers_features_test
