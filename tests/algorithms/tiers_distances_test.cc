// Tier 4 on a few clients, worked out by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "algorithms/tiers/parts.h"
#include "support/class_run.h"

namespace coterie::tiers_distances_test {
namespace {

// The distances between clients that told these things, and were in cluster 1 of 2 with these weights.
Vec distances(const std::string& name, const std::vector<Vec>& trained, const std::vector<Vec>& traces,
              const Vec& weights, const TierOptions& options = {}, const Vec& sent = {1, 1}) {
  const ClassRun run(GivenFederation({samples_of({{{1, 0}, 0}, {{0, 1}, 1}}, 2)}), {});
  auto distance = Registry<TierDistance>::instance().make(name);
  distance->prepare(options, *run.setting);
  std::vector<Told> told(weights.size());
  std::vector<const Told*> who;
  for (std::size_t i = 0; i < told.size(); ++i) {
    told[i].weights = {1 - weights[i], weights[i]};
    if (!trained.empty()) told[i].trained = {{}, trained[i]};
    if (!traces.empty()) told[i].trace = traces[i];
    who.push_back(&told[i]);
  }
  for (Told& one : told) one.began = 1;
  return distance->matrix(who, 1, std::vector<Vec>{{7, 7}, sent});
}

void expect_near(const Vec& got, const Vec& want) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-14) << i;
}

// From (1, 1) one goes to the right and the other up: a right angle.
TEST(TierDistances, GradientCosineIsOfWhatTrainingChanged) {
  expect_near(distances("gradient-cosine", {{3, 1}, {1, 2}}, {}, {1, 1}), {0, 1, 1, 0});
  expect_near(distances("gradient-cosine", {{3, 1}, {-1, 1}}, {}, {1, 1}), {0, 2, 2, 0});
}

TEST(TierDistances, ParameterIsTheLengthOfTheDifference) {
  expect_near(distances("parameter", {{3, 1}, {0, 5}}, {}, {1, 1}), {0, 5, 5, 0});
}

TEST(TierDistances, AnchorGradientsAreComparedAsTold) {
  expect_near(distances("anchor-gradient", {}, {{1, 0}, {1, 1}}, {1, 1}),
              {0, 1 - std::sqrt(0.5), 1 - std::sqrt(0.5), 0});
}

TEST(TierDistances, WeightsOfBothClientsCount) {
  expect_near(distances("gradient-cosine", {{3, 1}, {1, 2}}, {}, {0.5, 0.8}), {0, 0.4, 0.4, 0});
  TierOptions options;
  options.pair_weights = false;
  expect_near(distances("gradient-cosine", {{3, 1}, {1, 2}}, {}, {0.5, 0.8}, options), {0, 1, 1, 0});
}

// Counts of two classes, their prototypes, and the overall mean. The first client has swapped the labels of
// the second; the third has class 0 alone, as the first has it.
const std::vector<Vec> kPrototypes = {{1, 1, /**/ 1, 0, /**/ 0, 1, /**/ 0.5, 0.5},
                                      {1, 1, /**/ 0, 1, /**/ 1, 0, /**/ 0.5, 0.5},
                                      {2, 0, /**/ 1, 0, /**/ 0, 0, /**/ 1, 0}};

TEST(TierDistances, PrototypesByClassAreAboutConcepts) {
  expect_near(distances("prototype-cscp", {}, kPrototypes, {1, 1, 1}), {0, 1, 0, 1, 0, 1, 0, 1, 0});
}

TEST(TierDistances, PrototypesOverallAreAboutAnyShift) {
  const double d = 1 - std::sqrt(0.5);  // label shift
  expect_near(distances("prototype-ascp", {}, kPrototypes, {1, 1, 1}), {0, 1, d, 1, 0, 1, d, 1, 0});
  TierOptions options;
  options.over_classes = "mean";
  expect_near(distances("prototype-ascp", {}, kPrototypes, {1, 1, 1}, options),
              {0, 2.0 / 3, d / 2, 2.0 / 3, 0, (1 + d) / 2, d / 2, (1 + d) / 2, 0});
}

TEST(TierDistances, FeatureNormsAndEigenvectors) {
  expect_near(distances("feature-norm", {}, {{2, 3}, {1, 3}}, {1, 1}), {0, 0.5, 0.5, 0});
  expect_near(distances("eigenvector", {}, {{1, 0}, {-1, 0}}, {1, 1}), {0, 0, 0, 0});
}

// --- what clients tell ------------------------------------------------------------------------------------
struct TellNote {
  Items items;
  void fields(Archive& a) { a(items); }
};
struct TellReply {
  Vec trace;
  void fields(Archive& a) { a(trace); }
};

// The trace of a client with rows (1, 0) and (3, 0) of class 0 and (0, 4) of class 1, under a softmax model,
// whose features are the inputs.
Vec told(const std::string& name) {
  ClassRun run(GivenFederation({samples_of({{{1, 0}, 0}, {{3, 0}, 0}, {{0, 4}, 1}}, 2)}), {});
  auto distance = Registry<TierDistance>::instance().make(name);
  const TierOptions options;
  distance->prepare(options, *run.setting);
  Job<TellNote, TellReply> tell("tell", [&](const Shelf& shelf, const TellNote&, ClientView& view) {
    return TellReply{distance->trace(shelf[0], view)};
  });
  const Lent lent(*run.program, tell);
  Collect<TellReply, Vec> out([](TellReply& reply) { return std::move(reply.trace); });
  const std::vector<ClientId> one{0};
  run.fleet->ask_eval(tell, one, Shelf({Vec(run.model->size(), 0.0)}, Precision::f64),
                      [](ClientId) { return TellNote{}; }, {&out});
  EXPECT_EQ(out.items[0].second.size(), distance->trace_size());
  return out.items[0].second;
}

TEST(TierDistances, AClientTellsItsPrototypes) {
  const Vec want = {2, 1, /**/ 2, 0, /**/ 0, 4, /**/ 4.0 / 3, 4.0 / 3};
  expect_near(told("prototype-cscp"), want);
  expect_near(told("prototype-ascp"), want);
}

TEST(TierDistances, AClientTellsItsNormsAndItsPrincipalDirection) {
  expect_near(told("feature-norm"), {2, 4});
  const Vec direction = told("eigenvector");  // Z'Z is diagonal: 10 and 16
  EXPECT_NEAR(direction[0], 0, 1e-5);
  EXPECT_NEAR(std::fabs(direction[1]), 1, 1e-10);
}

// At zero both classes have probability 1/2: the gradient of row x for class c is (1/2 - [c]) x.
TEST(TierDistances, AClientTellsItsGradientAtTheAnchor) {
  const Vec gradient = told("anchor-gradient");
  EXPECT_NEAR(gradient[0], -0.5 * (1 + 3) / 3, 1e-14);
  EXPECT_NEAR(gradient[1], 0.5 * (1 + 3) / 3, 1e-14);
  EXPECT_NEAR(gradient[2], 0.5 * 4 / 3, 1e-14);
  EXPECT_NEAR(gradient[3], -0.5 * 4 / 3, 1e-14);
}

}  // namespace
}  // namespace coterie::tiers_distances_test
