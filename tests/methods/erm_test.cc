#include "coterie/methods/erm.h"

#include <gtest/gtest.h>

#include <cmath>

#include "coterie/methods/slots.h"
#include "models/bound_model.h"
#include "support/tiny_federation.h"

namespace coterie::erm_test {
namespace {

// Rows for one model, which is made to fit them.
struct Problem {
  Problem(const std::string& kind, const std::string& toml, std::size_t width, std::size_t classes, Vec x,
          Vec y)
      : model(make_plugin<Model>(kind, with_intercept_said(kind, toml))), x(std::move(x)), y(std::move(y)) {
    Shape shape;
    shape.task = classes == 0 ? Task::regression : Task::classification;
    shape.width = width;
    shape.classes = classes;
    model->bind(shape, 1);
    rows = {this->y.size(), width, this->x, this->y, {}};
  }
  Erm solve(const ErmOptions& options = {}) const {
    Vec start(model->size());
    Stream stream(1, {Purpose::init, 0, 0, 0});
    model->init(start, stream);
    return solve_erm(*model, rows, options, start);
  }
  // The text of the Error that solving throws; "" when there is none.
  std::string refusal(const ErmOptions& options = {}) const {
    try {
      solve(options);
      return "";
    } catch (const Error& e) {
      return e.what();
    }
  }
  double gradient_at(const Vec& w) const {
    Vec gradient(w.size());
    model->gradient(w, rows, gradient);
    double square = 0;
    for (double g : gradient) square += g * g;
    return std::sqrt(square);
  }

  std::unique_ptr<Model> model;
  Vec x;
  Vec y;
  Batch<double> rows;
};

ErmOptions with_radius(double radius) {
  ErmOptions options;
  options.radius = radius;
  return options;
}

double norm(const Vec& w) {
  double square = 0;
  for (double v : w) square += v * v;
  return std::sqrt(square);
}

// The minimum is at 0.6, whose square is less than the radius.
TEST(Erm, ARadiusBelowOneHolds) {
  const Problem problem("linear", "", 1, 0, {1}, {0.6});
  EXPECT_NEAR(problem.solve().model[0], 0.6, 1e-12);
  EXPECT_NEAR(problem.solve(with_radius(0.5)).model[0], 0.5, 1e-9);
}

TEST(Erm, LeastSquaresWhateverTheFactor) {
  for (const char* toml : {"", "factor = 1", "factor = 3.5"}) {
    Erm erm = Problem("linear", toml, 1, 0, {1, 2, 3}, {1, 2, 2}).solve();
    EXPECT_NEAR(erm.model[0], 11.0 / 14, 1e-14) << toml;
    EXPECT_TRUE(erm.converged);
  }
}

TEST(Erm, LeastSquaresWithAnIntercept) {
  // The line through (0, 1) and (2, 5).
  Erm erm = Problem("linear", "intercept = true", 1, 0, {0, 2}, {1, 5}).solve();
  EXPECT_NEAR(erm.model[0], 2, 1e-13);
  EXPECT_NEAR(erm.model[1], 1, 1e-13);
}

TEST(Erm, LeastSquaresOfFewRowsIsTheShortest) {
  Erm erm = Problem("linear", "", 2, 0, {1, 2}, {5}).solve();
  EXPECT_NEAR(erm.model[0], 1, 1e-14);
  EXPECT_NEAR(erm.model[1], 2, 1e-14);
}

TEST(Erm, AdviceNamesFullKeysAndValues) {
  ErmOptions options;
  options.table = "algorithm.odcl";
  const std::string text = Problem("logistic", "", 1, 2, {-2, -1, 1, 2}, {0, 0, 1, 1}).refusal(options);
  for (const char* part :
       {"set model.l2 = 0.001", "algorithm.odcl.radius = 10", "algorithm.odcl.solver = \"local\""}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << ": " << text;
  }
}

// x = (1, 2), y = 5: of all w with x.w = 5, the one nearest to w0 is w0 + x (5 - x.w0) / 5.
TEST(Erm, FromAStartOfItsOwnTheNearestMinimum) {
  Problem problem("linear", "", 2, 0, {1, 2}, {5});
  ErmOptions options;
  options.start = "own";
  const Erm erm = solve_erm(*problem.model, problem.rows, options, {3, -1});
  EXPECT_NEAR(erm.model[0], 3 + 0.8, 1e-14);
  EXPECT_NEAR(erm.model[1], -1 + 1.6, 1e-14);
}

// Two clients with the same single row: each draws its own start.
TEST(Erm, ClientsBeginAtRandomPointsOfTheirOwnWhenTold) {
  TinyRun run({{{{1, 2}}, {5}, 0}, {{{1, 2}}, {5}, 0}}, {.algorithm = "one-shot", .clusters = 2});
  ErmOptions options;
  const LocalModels shortest = ask_local_models(*run.fleet, *run.setting, options);
  EXPECT_EQ(shortest.values[0], shortest.values[2]);
  options.start = "own";
  const LocalModels own = ask_local_models(*run.fleet, *run.setting, options);
  EXPECT_NE(own.values[0], own.values[2]);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(own.values[2 * i] + 2 * own.values[2 * i + 1], 5, 1e-12);
}

// 1/3 sum factor (x w - y)^2 + l2/2 w^2 is least where  2 factor/3 (14 w - 11) + l2 w = 0.
TEST(Erm, RidgeIsTheMinimumOfTheModelsOwnObjective) {
  Problem half("linear", "l2 = 0.6", 1, 0, {1, 2, 3}, {1, 2, 2});
  EXPECT_NEAR(half.solve().model[0], 11 / (14 + 3 * 0.6), 1e-14);
  Problem one("linear", "l2 = 0.6\nfactor = 1", 1, 0, {1, 2, 3}, {1, 2, 2});
  EXPECT_NEAR(one.solve().model[0], 11 / (14 + 3 * 0.6 / 2), 1e-14);
  EXPECT_LT(one.gradient_at(one.solve().model), 1e-14);
}

// Targets far from zero: a penalty on the intercept would pull it there. By hand, around means 2 and 12:
// w = (1 + 1) / (2 + 3 * 0.6), b = 12 - 2 w.
TEST(Erm, RidgeLeavesTheInterceptAlone) {
  Problem free("linear", "l2 = 0.6\nintercept = true", 1, 0, {1, 2, 3}, {11, 12, 13});
  const Erm erm = free.solve();
  EXPECT_NEAR(erm.model[0], 2 / (2 + 3 * 0.6), 1e-13);
  EXPECT_NEAR(erm.model[1], 12 - 2 * erm.model[0], 1e-12);
  EXPECT_LT(free.gradient_at(erm.model), 1e-12);
  Problem held("linear", "l2 = 0.6\nintercept = true\npenalise_intercept = true", 1, 0, {1, 2, 3},
               {11, 12, 13});
  EXPECT_LT(held.gradient_at(held.solve().model), 1e-12);
  EXPECT_LT(held.solve().model[1], erm.model[1] - 1);
  Problem wide("linear", "l2 = 0.6\nintercept = true", 3, 0, {1, 2, 3, 0, 1, 4}, {5, 7});
  EXPECT_LT(wide.gradient_at(wide.solve().model), 1e-12) << "fewer rows than parameters";
}

TEST(Erm, LeastSquaresOfMappedFeatures) {
  // y = x + x^2
  Erm erm = Problem("linear", "features = \"polynomial\"\ndegree = 2", 1, 0, {1, 2, 3}, {2, 6, 12}).solve();
  EXPECT_NEAR(erm.model[0], 1, 1e-12);
  EXPECT_NEAR(erm.model[1], 1, 1e-12);
}

TEST(Erm, LeastSquaresOnABall) {
  Problem problem("linear", "", 2, 0, {1, 0, 0, 1}, {3, 4});
  Erm inside = problem.solve(with_radius(6));
  EXPECT_NEAR(inside.model[1], 4, 1e-13);
  Erm bound = problem.solve(with_radius(2.5));
  EXPECT_NEAR(bound.model[0], 1.5, 1e-7);
  EXPECT_NEAR(bound.model[1], 2, 1e-7);
}

// Overlapping classes on a line; the root of the slope by bisection.
TEST(Erm, LogisticInOneDimension) {
  Vec x = {-2, -1, 0.5, -0.7, 1, 3};
  Vec y = {0, 0, 0, 1, 1, 1};
  for (double l2 : {0.0, 0.05}) {
    double low = -50, high = 50;
    for (int step = 0; step < 100; ++step) {
      double w = (low + high) / 2;
      double slope = l2 * w;
      for (std::size_t i = 0; i < x.size(); ++i) slope += x[i] * (1 / (1 + std::exp(-x[i] * w)) - y[i]) / 6;
      (slope < 0 ? low : high) = w;
    }
    Problem problem("logistic", "l2 = " + std::to_string(l2), 1, 2, x, y);
    Erm erm = problem.solve();
    EXPECT_TRUE(erm.converged);
    EXPECT_NEAR(erm.model[0], low, 1e-7) << l2;
  }
}

// Two classes by softmax are logistic with the difference of the two vectors; the minimum from zero has them
// opposite.
TEST(Erm, SoftmaxOfTwoClassesIsLogistic) {
  Vec x = {-2, -1, 0.5, -0.7, 1, 3};
  Vec y = {0, 0, 0, 1, 1, 1};
  Erm one = Problem("logistic", "intercept = true", 1, 2, x, y).solve();
  Erm two = Problem("softmax", "", 1, 2, x, y).solve();
  EXPECT_NEAR(two.model[1] - two.model[0], one.model[0], 1e-6);
  EXPECT_NEAR(two.model[3] - two.model[2], one.model[1], 1e-6);
  EXPECT_NEAR(two.model[1], -two.model[0], 1e-6);
}

TEST(Erm, ClassesThatALineTellsApartAreRefused) {
  for (const char* kind : {"logistic", "softmax"}) {
    Problem apart(kind, "", 1, 2, {-2, -1, 1, 2}, {0, 0, 1, 1});
    EXPECT_NE(apart.refusal().find("model.l2"), std::string::npos) << kind;
    EXPECT_NE(apart.refusal().find("radius"), std::string::npos) << kind;
    EXPECT_EQ(apart.refusal(with_radius(3)), "") << kind;
    EXPECT_EQ(Problem(kind, "l2 = 0.01", 1, 2, {-2, -1, 1, 2}, {0, 0, 1, 1}).refusal(), "") << kind;
  }
}

// The first feature is on for class 1 alone, the second tells nothing: every right row keeps gaining.
TEST(Erm, ClassesThatAreApartButForTiesAreRefused) {
  Vec x = {0, 1, 0, -1, 0, 1, 0, -1, 1, 0.3};
  Vec y = {0, 1, 1, 0, 1};
  Problem ties("logistic", "", 2, 2, x, y);
  EXPECT_NE(ties.refusal().find("ties"), std::string::npos) << ties.refusal();
}

TEST(Erm, AClassWithoutRowsIsRefusedWithAnIntercept) {
  Vec x = {-2, -1, 0.5, -0.7, 1, 3};
  Vec y = {0, 0, 0, 1, 1, 1};
  EXPECT_NE(Problem("softmax", "", 1, 3, x, y).refusal().find("class 2"), std::string::npos);
  EXPECT_NE(Problem("softmax", "l2 = 0.1", 1, 3, x, y).refusal().find("model.penalise_intercept = true"),
            std::string::npos)
      << "its score can fall for ever, which no term is against";
  EXPECT_EQ(Problem("softmax", "l2 = 0.1\npenalise_intercept = true", 1, 3, x, y).refusal(), "");
  EXPECT_EQ(Problem("softmax", "l2 = 0.1\nintercept = false", 1, 3, x, y).refusal(), "");
}

// Far rows on their right side have tiny losses at a minimum that exists: it is not taken for none.
TEST(Erm, AMinimumFarFromSomeRowsIsFound) {
  Problem problem("logistic", "", 1, 2, {-40, -1, 0.5, -0.7, 1, 60}, {0, 0, 0, 1, 1, 1});
  EXPECT_EQ(problem.refusal(), "");
}

TEST(Erm, SeparableRowsEndOnTheBall) {
  Erm erm = Problem("logistic", "", 1, 2, {-2, -1, 1, 2}, {0, 0, 1, 1}).solve(with_radius(3));
  EXPECT_NEAR(erm.model[0], 3, 1e-12);
}

// A wide network meets every target, away from the kinks of its units.
TEST(Erm, ANetworkEndsAtAStationaryPoint) {
  Problem problem("mlp", "hidden = [32]", 1, 0, {-2, -1, 0.5, 1, 3}, {4, 1, 0.2, 1, 9});
  Erm erm = problem.solve();
  EXPECT_TRUE(erm.converged);
  EXPECT_LT(problem.gradient_at(erm.model), 1e-6);
  EXPECT_GT(norm(erm.model), 1) << "it left zero, where a network is stuck";
}

// With a penalty on its weights a small one ends on a kink, where no gradient vanishes: that is said, and it
// is lower than at the start.
TEST(Erm, ANetworkThatEndsOnAKinkHasNotConverged) {
  Problem problem("mlp", "hidden = [3]\nl2 = 0.01", 1, 2, {-2, -1, 0.5, -0.7, 1, 3}, {0, 1, 0, 1, 1, 1});
  Erm erm = problem.solve();
  EXPECT_FALSE(erm.converged);
  Vec start(problem.model->size());
  Stream stream(1, {Purpose::init, 0, 0, 0});
  problem.model->init(start, stream);
  Vec gradient(start.size());
  EXPECT_LT(problem.model->gradient(erm.model, problem.rows, gradient),
            problem.model->gradient(start, problem.rows, gradient) - 0.05);
}

TEST(Erm, ANetworkWithoutHiddenLayersIsLinear) {
  Erm line = Problem("mlp", "hidden = []", 1, 0, {0, 2, 4}, {1, 5, 9}).solve();
  EXPECT_NEAR(line.model[0], 2, 1e-13);
  EXPECT_NEAR(line.model[1], 1, 1e-13);
  Problem apart("mlp", "hidden = []", 1, 2, {-2, -1, 1, 2}, {0, 0, 1, 1});
  EXPECT_NE(apart.refusal().find("model.l2"), std::string::npos);
}

TEST(Erm, NoRowsAndRowsThatAreNotFiniteAreRefused) {
  EXPECT_NE(Problem("linear", "", 1, 0, {}, {}).refusal().find("no training samples"), std::string::npos);
  EXPECT_NE(Problem("linear", "", 1, 0, {1}, {std::nan("")}).refusal().find("not finite"), std::string::npos);
  EXPECT_NE(Problem("logistic", "l2 = 1", 1, 2, {std::nan("")}, {1}).refusal().find("not finite"),
            std::string::npos);
}

const std::vector<TinyFederation::Client> kThree = {
    {{{1}, {2}}, {1, 2}, 0}, {{{1}}, {2}, 0}, {{{2}}, {18}, 1}};

TEST(Erm, EveryClientIsAskedAndKeepsNothing) {
  TinyRun run(kThree, {});
  LocalModels models = ask_local_models(*run.fleet, *run.setting, {});
  EXPECT_EQ(models.clients, (std::vector<ClientId>{0, 1, 2}));
  ASSERT_EQ(models.values.size(), 3u);
  EXPECT_NEAR(models.values[0], 1, 1e-14);
  EXPECT_NEAR(models.values[1], 2, 1e-14);
  EXPECT_NEAR(models.values[2], 9, 1e-14);
  EXPECT_EQ(run.fleet->traffic().up, 3u * 8) << "a model each";
  EXPECT_EQ(run.fleet->traffic().down, 0u) << "options are overhead";
}

TEST(Erm, LocalTrainingBeginsAtTheFirstRandomModel) {
  TinyRun::Choices choices;
  choices.solver_toml = "rate = 0.1\nsteps = 2\nmomentum = 0.5\nmomentum_survives = true";
  ErmOptions options;
  options.solver = "local";
  TinyRun run(kThree, choices);
  LocalModels models = ask_local_models(*run.fleet, *run.setting, options);
  double w = random_models(*run.setting, 1, 0)[0][0];
  double first = w - 0.1 * (w - 2);
  double second = first - 0.1 * (0.5 * (w - 2) + (first - 2));
  EXPECT_NEAR(models.values[1], second, 1e-14);
  LocalModels again = ask_local_models(*run.fleet, *run.setting, options);
  EXPECT_EQ(again.values, models.values) << "no momentum stayed behind";
}

TEST(Erm, AModelBeyondTheLimitOrNotFiniteIsLeftOut) {
  auto clients = kThree;
  clients[0].y[0] = 1e9;
  clients[2].y[0] = std::nan("");
  TinyRun::Choices choices;
  choices.fleet.options.quorum = 0.3;
  TinyRun run(clients, choices);
  LocalModels models = ask_local_models(*run.fleet, *run.setting, {});
  EXPECT_EQ(models.clients, (std::vector<ClientId>{1}));
  auto events = run.fleet->take_events();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_NE(events[0].text.find("aggregate.limit"), std::string::npos) << events[0].text;
  EXPECT_NE(events[1].text.find("not finite"), std::string::npos) << events[1].text;
}

}  // namespace
}  // namespace coterie::erm_test
