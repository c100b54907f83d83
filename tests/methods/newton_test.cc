#include "coterie/methods/newton.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "coterie/methods/erm.h"
#include "models/bound_model.h"
#include "support/given_federation.h"
#include "support/tiny_federation.h"

namespace coterie::newton_test {
namespace {

class Curvature : public testing::TestWithParam<std::string> {};

// The second derivatives are the slopes of the first.
TEST_P(Curvature, IsTheDifferenceOfGradients) {
  const Shape shape =
      GetParam() == "linear" ? regression(3) : classification(3, GetParam() == "softmax" ? 4 : 2);
  for (const char* toml : {"intercept = true\nl2 = 0.3\n", "intercept = false\nl2 = 0\n"}) {
    const auto model = bound_model(GetParam(), toml, shape);
    const Rows<double> rows(shape, 20, true);
    Vec w(model->size());
    Stream stream(3, {Purpose::test});
    stream.normals(w);
    ASSERT_TRUE(has_curvature(*model));
    const Curved here = curved_objective(*model, w, rows.batch());
    for (std::size_t j = 0; j < w.size(); ++j) {
      const double step = 1e-5;
      Vec up = w, down = w, above(w.size()), below(w.size());
      up[j] += step;
      down[j] -= step;
      model->gradient(std::span<const double>(up), rows.batch(), std::span(above));
      model->gradient(std::span<const double>(down), rows.batch(), std::span(below));
      for (std::size_t i = 0; i < w.size(); ++i) {
        EXPECT_NEAR(here.curvature[i * w.size() + j], (above[i] - below[i]) / (2 * step), 1e-7) << toml;
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(All, Curvature, testing::Values("linear", "logistic", "softmax"),
                         [](const auto& one) { return one.param; });

TEST(Newton, KnowsNoCurvatureOfNetworks) {
  EXPECT_FALSE(has_curvature(*bound_model("mlp", "hidden = [2]\n", regression(2))));
  EXPECT_FALSE(has_curvature(*bound_model("softmax", "loss = \"probability\"\n", classification(2, 3))));
}

// x'x = 1 + 4 + 9 and x'y = 2 + 4 + 27 over three clients of one row each.
TEST(Newton, FindsLeastSquaresInTwoAsks) {
  TinyRun run({{{{1}}, {2}, 0}, {{{2}}, {2}, 0}, {{{3}}, {9}, 0}}, {});
  const Lent lent(*run.program, curved_job());
  run.fleet->begin_round(1);
  const JointMinimum found = solve_by_newton(*run.fleet, *run.setting, {0, 1, 2});
  EXPECT_TRUE(found.converged);
  EXPECT_NEAR(found.model[0], 33.0 / 14, 1e-9);
  EXPECT_NEAR(found.curvature[0], 14.0 / 3, 1e-9);
  EXPECT_EQ(found.rows, 3);
  EXPECT_EQ(run.fleet->traffic().down, 2u * 3 * 8);
}

TEST(Newton, FindsTheMinimumThatGradientsFind) {
  MethodRun<GivenFederation> run(mixture(classification(3, 3), {30, 20, 40}, 3, 4),
                                 {.algorithm = "cluster-oracle",
                                  .model = "softmax",
                                  .model_toml = "l2 = 0.01",
                                  .precision = Precision::f64});
  const Lent lent(*run.program, curved_job());
  run.fleet->begin_round(1);
  const std::size_t size = run.model->size();
  const JointMinimum found = solve_by_newton(*run.fleet, *run.setting, {0, 1, 2});
  const Erm erm = solve_joint_erm(*run.fleet, *run.setting, {0, 1, 2}, {}, Vec(size, 0.0));
  ASSERT_TRUE(found.converged);
  ASSERT_TRUE(erm.converged);
  // The intercepts are not penalised, so a constant may be added to them.
  const double shift = found.model[size - 1] - erm.model[size - 1];
  for (std::size_t j = 0; j < size; ++j) {
    EXPECT_NEAR(found.model[j] - (j + 3 >= size ? shift : 0), erm.model[j], 1e-5) << j;
  }
}

// Zero is as good for client 1 as for others, but its slopes elsewhere are beyond the limit.
TEST(Newton, GoesOnWithoutAClientThatStopsAnswering) {
  TinyRun run({{{{1}}, {2}, 0}, {{{10}}, {0}, 0}}, {});
  const Lent lent(*run.program, curved_job());
  run.aggregate.limit = 15;  // and 225 for curvatures
  run.fleet->begin_round(1);
  const JointMinimum found = solve_by_newton(*run.fleet, *run.setting, {0, 1});
  EXPECT_EQ(found.clients.size(), 2u);
  run.aggregate.limit = 9;
  const JointMinimum alone = solve_by_newton(*run.fleet, *run.setting, {0, 1});
  EXPECT_EQ(alone.clients, std::vector<ClientId>{0});
  EXPECT_NEAR(alone.model[0], 2, 1e-9);
}

TEST(Newton, WorksWithALimitWhoseSquareIsTooLargeForSums) {
  TinyRun run({{{{1}}, {2}, 0}, {{{3}}, {9}, 0}}, {});
  const Lent lent(*run.program, curved_job());
  run.aggregate.limit = 1e9;
  run.fleet->begin_round(1);
  const JointMinimum found = solve_by_newton(*run.fleet, *run.setting, {0, 1});
  EXPECT_TRUE(found.converged);
  EXPECT_NEAR(found.model[0], 2.9, 1e-5);
}

TEST(Newton, EndsAtAFiniteModelWhereClassesCanBeToldApart) {
  Samples samples;
  samples.shape = classification(1, 2);
  samples.features = std::vector<double>{-2, -1, 1, 2};
  samples.targets = {0, 0, 1, 1};
  MethodRun<GivenFederation> run(std::vector<Samples>{samples}, {.model = "logistic"});
  const Lent lent(*run.program, curved_job());
  run.fleet->begin_round(1);
  const JointMinimum found = solve_by_newton(*run.fleet, *run.setting, {0});
  EXPECT_TRUE(std::isfinite(found.model[0]));
  EXPECT_GT(found.model[0], 5);
  EXPECT_LT(found.value, 1e-3);
}

// n f(v) = ((v - 2)^2 + (2 v - 2)^2) / 2 and lambda/2 m (v - 4)^2, with m = 3: the minimum is at
// (2 + 4 + 12 lambda) / (5 + 3 lambda).
// Two columns that are the same, and what a grid of sums leaves of the eigenvalue 0.
TEST(RaiseDiagonal, LeavesNoDirectionThatBendsDown) {
  Vec curvature{1, 1 + 3e-10, 1 + 3e-10, 1};
  raise_diagonal(curvature, 2, Precision::f64);
  EXPECT_GT(curvature[0] * curvature[3], curvature[1] * curvature[2]);
  EXPECT_NEAR(curvature[0], 1, 1e-9);
  Vec plain{2, 0, 0, 1};
  raise_diagonal(plain, 2, Precision::f64);
  EXPECT_DOUBLE_EQ(plain[3], 1 + 2e-11);
}

// Columns "yes" and "no" beside an intercept, of clients with a row or two: pulls by the curvature of all
// stay finite at any strength.
TEST(RaiseDiagonal, KeepsPulledFitsOfDependentColumnsNear) {
  const auto linear = bound_model("linear", "intercept = true", regression(2));
  Vec pull{0.5, 0, 0.5, 0, 0.5, 0.5, 0.5, 0.5, 1};
  for (const std::size_t k : {0u, 4u, 8u}) pull[k] -= 4e-11;
  raise_diagonal(pull, 3, Precision::f64);
  const Vec x{1, 0, 1, 0}, y{1, 3}, centre{0.5, -0.5, 0.1};
  const Batch<double> rows{2, 2, x, y, {}};
  const PulledFit fit(*linear, rows, centre, pull);
  for (const double lambda : {0.0, 0.1, 10.0, 3000.0}) {
    for (const double value : fit.minimum(lambda)) EXPECT_LT(std::abs(value), 5) << lambda;
  }
}

TEST(PulledFit, WeighsThePullInRows) {
  const auto model = bound_model("linear", "", regression(1));
  const Vec x = {1, 2}, y = {2, 2}, centre = {4}, pull = {3};
  const Batch<double> rows{2, 1, x, y, {}};
  const PulledFit fit(*model, rows, centre, pull);
  for (const double lambda : {0.0, 0.3, 10.0, 1e6}) {
    EXPECT_NEAR(fit.minimum(lambda)[0], (6 + 12 * lambda) / (5 + 3 * lambda), 1e-8) << lambda;
  }
  EXPECT_EQ(fit.minimum(std::numeric_limits<double>::infinity()), centre);
}

TEST(PulledFit, LeavesTheFirstParametersAtTheCentre) {
  const auto model = bound_model("linear", "intercept = true", regression(1));
  const Vec x = {1, 2}, y = {2, 2}, centre = {4, 1}, pull = {3, 0, 0, 1};
  const Batch<double> rows{2, 1, x, y, {}};
  const Vec v = PulledFit(*model, rows, centre, pull, 1).minimum(0);
  EXPECT_EQ(v[0], 4);
  EXPECT_NEAR(v[1], 2 - 4 * 1.5, 1e-8);  // the mean of what is left over
}

TEST(PulledFit, OfAHopelessLikelihoodIsFiniteAndAtAnyPullAMinimum) {
  const auto model = bound_model("logistic", "", classification(1, 2));
  const Vec x = {1, 2}, y = {1, 1}, centre = {0.5}, pull = {0.2};
  const Batch<double> rows{2, 1, x, y, {}};
  const PulledFit fit(*model, rows, centre, pull);
  EXPECT_TRUE(std::isfinite(fit.minimum(0)[0]));
  const Vec v = fit.minimum(2);
  Vec slope(1);
  model->gradient(std::span<const double>(v), rows, std::span(slope));
  EXPECT_NEAR(2 * slope[0] + 2 * 0.2 * (v[0] - 0.5), 0, 1e-7);
}

}  // namespace
}  // namespace coterie::newton_test
