#include <gtest/gtest.h>

#include "solvers/least_squares.h"

namespace coterie::gd_test {
namespace {

// Residuals of w = (1, 1): 0 on ((1, 2), 3) and 2 on ((0, 1), -1). Gradient (0*(1, 2) + 2*(0, 1)) / 2 = (0,
// 1).
TEST(Gd, TakesOneStepAsByHand) {
  LocalWork<double> job{Rows<double>(regression(2), 2), {1, 1}};
  job.rows.x = {1, 2, 0, 1};
  job.rows.y = {3, -1};
  job.train("gd", "rate = 0.5");
  EXPECT_EQ(job.w, (Vec{1, 0.5}));
}

// (0, 1) + 2 * (1, 1) + 4 * ((1, 1) - (1, 2)) = (2, -1); a rate of 0.5 * 0.5 in round 2.
TEST(Gd, AddsWeightDecayAndProxAsByHand) {
  LocalWork<double> job{Rows<double>(regression(2), 2), {1, 1}, 4, {1, 2}};
  job.rows.x = {1, 2, 0, 1};
  job.rows.y = {3, -1};
  job.round = 2;
  job.train("gd", "rate = 0.5\nweight_decay = 2\ndecay = 0.5");
  EXPECT_EQ(job.w, (Vec{0.5, 1.25}));
}

// The gradient (0, 1) of the first test is shortened to (0, 1/4) before anything is added; 2 leaves it alone.
TEST(Gd, ShortensLongGradientsAsByHand) {
  for (const auto& [clip, end] : {std::pair{"0.25", Vec{0, -0.125}}, std::pair{"2", Vec{0, -0.5}}}) {
    LocalWork<double> job{Rows<double>(regression(2), 2), {1, 1}};
    job.rows.x = {1, 2, 0, 1};
    job.rows.y = {3, -1};
    job.train("gd", std::string("rate = 0.5\nweight_decay = 1\nclip = ") + clip);
    EXPECT_EQ(job.w, (Vec{1 + end[0] - 0.5, 1 + end[1] - 0.5}));
  }
}

// With a slope that points the same way always, momentum 0.9 makes steps ten times as long in the end.
TEST(Gd, TellsTheRateThatSuitsACurvature) {
  EXPECT_DOUBLE_EQ(*make_plugin<Solver>("gd", "")->rate_for(4), 0.25);
  EXPECT_DOUBLE_EQ(*make_plugin<Solver>("gd", "weight_decay = 1")->rate_for(4), 0.2);
  EXPECT_DOUBLE_EQ(*make_plugin<Solver>("gd", "momentum = 0.5")->rate_for(4), 0.125);
}

TEST(Gd, StepsByTheRateThatWasAgreedOnUnlessItWasGivenOne) {
  for (const auto& [toml, agreed] :
       {std::pair{"", true}, std::pair{"rate = \"auto\"", true}, std::pair{"rate = 0.5", false}}) {
    const auto solver = make_plugin<Solver>("gd", toml);
    EXPECT_EQ(solver->wants_rate(), agreed);
    solver->agree_rate(0.125, 0.25);
    EXPECT_EQ(solver->rate(1), agreed ? 0.125 : 0.5);
    EXPECT_EQ(solver->gradient_rate(1), agreed ? 0.25 : 0.5);
  }
  EXPECT_THROW(make_plugin<Solver>("gd", "")->rate(1), Bug);
}

// A rate of 1 was found for a curvature of 1; with a pull of 3 it is 1/4. From w = 1 on the row x = 1, y = 0
// with the centre 0 the slope is 1 + 3.
TEST(Gd, CountsAPullWithTheCurvatureWhereTheRateWasFound) {
  for (const auto& [toml, end] : {std::pair{"", 0.0}, std::pair{"rate = 1", -3.0}}) {
    LocalWork<double> job{Rows<double>(regression(1), 1), {1}, 3, {0}};
    job.rows.x = {1};
    job.rows.y = {0};
    const auto solver = make_plugin<Solver>("gd", toml);
    solver->agree_rate(1, 1);
    job.train(*solver, *bound_model("linear", "", regression(1)));
    EXPECT_EQ(job.w[0], end);
  }
}

struct Setting {
  const char* toml;
  Sizes sizes;
  bool weighted = false;
  std::uint32_t round = 1;
};

const Setting kSettings[] = {
    {"rate = 0.1\nsteps = 5", {}},
    {"rate = 0.1\nsteps = 5\nmomentum = 0.9", {.momentum = 0.9}},
    {"rate = 0.1\nsteps = 5\nweight_decay = 0.3", {.weight_decay = 0.3}},
    {"rate = 0.1\nsteps = 5", {.prox = 0.7}},
    {"rate = 0.1\nsteps = 5\nmomentum = 0.5\nweight_decay = 0.2",
     {.momentum = 0.5, .weight_decay = 0.2, .prox = 0.4},
     true},
    {"rate = 0.1\nsteps = 5\ndecay = 0.8", {.rate = 0.1 * 0.8 * 0.8 * 0.8}, false, 4},
};

template <class Real>
void expect_formulas(double error) {
  const Vec start = {0.5, -1, 2}, centre = {1, 1, -1};
  for (const Setting& setting : kSettings) {
    SCOPED_TRACE(setting.toml);
    LocalWork<Real> job{Rows<Real>(regression(3), 7, setting.weighted), {start.begin(), start.end()}};
    job.prox = setting.sizes.prox;
    job.centre.assign(centre.begin(), centre.end());
    job.round = setting.round;
    job.train("gd", setting.toml);
    const Rows<double> rows(regression(3), 7, setting.weighted);
    expect_near(job.w, descend_by_hand(rows, start, setting.sizes, centre, 5, Vec(3)), error);
  }
}

TEST(Gd, FollowsTheFormulasInDouble) { expect_formulas<double>(1e-13); }
TEST(Gd, FollowsTheFormulasInFloat) { expect_formulas<float>(1e-5); }

TEST(Gd, SurvivingMomentumMakesTwoRoundsOne) {
  const std::string toml = "rate = 0.1\nmomentum = 0.9\nmomentum_survives = true\nsteps = ";
  LocalWork<float> two{Rows<float>(regression(3), 7), {1, 2, 3}, 0, {}, {0, 0, 0}};
  LocalWork<float> one = two;
  two.train("gd", toml + "3");
  two.train("gd", toml + "3");
  one.train("gd", toml + "6");
  EXPECT_EQ(two.w, one.w);
  EXPECT_EQ(two.momentum, one.momentum);
}

TEST(Gd, MomentumStartsFromZeroUnlessItSurvives) {
  const std::vector<double> old = {5, 5, 5};
  LocalWork<double> job{Rows<double>(regression(3), 7), {1, 2, 3}, 0, {}, old};
  job.train("gd", "rate = 0.1\nmomentum = 0.9\nsteps = 3");
  EXPECT_EQ(job.momentum, old);
  expect_near(job.w, descend_by_hand(job.rows, {1, 2, 3}, {.momentum = 0.9}, {}, 3, Vec(3)), 1e-13);

  LocalWork<double> kept{Rows<double>(regression(3), 7), {1, 2, 3}, 0, {}, old};
  kept.train("gd", "rate = 0.1\nmomentum = 0.9\nmomentum_survives = true\nsteps = 3");
  expect_near(kept.w, descend_by_hand(job.rows, {1, 2, 3}, {.momentum = 0.9}, {}, 3, old), 1e-13);
}

TEST(Gd, LeavesAClientWithoutRowsAlone) {
  LocalWork<double> job{Rows<double>(regression(3), 0), {1, 2, 3}};
  job.train("gd", "rate = 0.1\nweight_decay = 1");
  EXPECT_EQ(job.w, (Vec{1, 2, 3}));
}

TEST(Gd, TellsItsRateAndPasses) {
  const auto gd = make_plugin<Solver>("gd", "rate = 0.5\ndecay = 0.9\nsteps = 10");
  EXPECT_DOUBLE_EQ(gd->rate(1), 0.5);
  EXPECT_DOUBLE_EQ(gd->rate(3), 0.5 * 0.9 * 0.9);
  EXPECT_EQ(gd->passes(50), 10);
  EXPECT_FALSE(gd->momentum_survives());
  EXPECT_TRUE(make_plugin<Solver>("gd", "momentum = 0.9\nmomentum_survives = true")->momentum_survives());
}

TEST(Gd, RefusesOptionsThatCannotWork) {
  EXPECT_THROW(make_plugin<Solver>("gd", "rate = 0"), BadConfig);
  EXPECT_THROW(make_plugin<Solver>("gd", "momentum = 1"), BadConfig);
  EXPECT_THROW(make_plugin<Solver>("gd", "decay = 0"), BadConfig);
  EXPECT_THROW(make_plugin<Solver>("gd", "steps = 0"), BadConfig);
  EXPECT_THROW(make_plugin<Solver>("gd", "batch = 5"), BadConfig);
  EXPECT_THROW(make_plugin<Solver>("gd", "momentum_survives = true"), BadConfig);
}

}  // namespace
}  // namespace coterie::gd_test
