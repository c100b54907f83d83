#include "coterie/methods/bounds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "models/bound_model.h"
#include "support/tiny_federation.h"

namespace coterie::bounds_test {
namespace {

// A linear model in one dimension without intercept: loss (w x - y)^2 / 2.
struct Book {
  std::unique_ptr<Model> model;
  BoundBook book;
  explicit Book(const std::string& toml = "")
      : model(make_plugin<Model>("linear", with_intercept_said("linear", toml))) {
    model->bind({Task::regression, 1, 0, 0, 0, 0}, 1);
    book = BoundBook(*model, Precision::f64);
  }
};

// Client 0 with x = 1, y = 0: losses w^2 / 2, and |X| / sqrt n = 1.
Evidence at(std::uint32_t k, double w) { return {k, {w * w / 2, 1, 0, 0, 0, 0}}; }

TEST(Bounds, AModelIsHopelessUntilItMayHaveComeCloseEnough) {
  Book b;
  b.book.enter({{1.0}, {5.0}});
  EXPECT_FALSE(b.book.hopeless(0, 1, 0)) << "nothing is known yet";
  b.book.learn(0, at(0, 1));
  b.book.learn(0, at(1, 5));
  EXPECT_TRUE(b.book.hopeless(0, 1, 0));
  EXPECT_FALSE(b.book.hopeless(0, 0, 1)) << "it is the better one";
  EXPECT_FALSE(b.book.hopeless(1, 1, 0)) << "another client";
  // Both moved by 1.9: the losses lie within (1 + 1.9)^2 / 2 and (5 - 1.9)^2 / 2.
  b.book.enter({{2.9}, {3.1}});
  EXPECT_TRUE(b.book.hopeless(0, 1, 0));
  // By 2.1: (1 + 2.1)^2 > (5 - 2.1)^2.
  b.book.enter({{3.1}, {2.9}});
  EXPECT_FALSE(b.book.hopeless(0, 1, 0));
}

// With l2 = 2 objectives are w^2 / 2 + w^2: the L2 terms need no bounds, since the server knows the models.
TEST(Bounds, ComparesObjectivesWithTheirL2Terms) {
  Book b("l2 = 2");
  b.book.enter({{1.0}, {2.0}});
  b.book.learn(0, at(0, 1));
  b.book.learn(0, {1, {0.4, 1, 0, 0, 0, 0}});  // a loss below the other's 0.5, but 0.4 + 4 is above 0.5 + 1
  EXPECT_TRUE(b.book.hopeless(0, 1, 0));
  EXPECT_FALSE(b.book.hopeless(0, 0, 1));
  b.book.enter({{1.0}, {0.0}});  // now it may have any loss from 0, and its term is 0
  EXPECT_FALSE(b.book.hopeless(0, 1, 0));
  Book plain;
  plain.book.enter({{1.0}, {2.0}});
  plain.book.learn(0, at(0, 1));
  plain.book.learn(0, {1, {0.4, 1, 0, 0, 0, 0}});
  EXPECT_FALSE(plain.book.hopeless(0, 1, 0));
}

TEST(Bounds, WeighingIsByTheObjectiveAndEvidenceOfTheLossAlone) {
  TinyRun run({{{{1}, {1}}, {1, 1}, 0}}, {.model_toml = "l2 = 0.2"});
  ClientView view(*run.engine, 0, {}, {});
  const Weighed weighed = weigh(view, Shelf({{1.4}, {0.5}}, Precision::f64));
  EXPECT_EQ(weighed.choice.model, 1u);
  EXPECT_NEAR(weighed.choice.loss, 0.125, 1e-14);
  ASSERT_EQ(weighed.seen.size(), 2u);
  EXPECT_NEAR(weighed.seen[0].figures[0], 0.08, 1e-14);
  EXPECT_NEAR(weighed.seen[1].figures[0], 0.125, 1e-14);
}

TEST(Bounds, ALeapFromASnapshotIsShorterThanTheWayThere) {
  Book b;
  b.book.enter({{1.0}, {5.0}});  // the first time is a snapshot
  b.book.learn(0, at(0, 1));
  b.book.learn(0, at(1, 5));
  for (int t = 0; t < 12; ++t) b.book.enter({{1.0}, {t % 2 == 0 ? 4.0 : 5.0}});  // to and fro: a way of 12
  EXPECT_TRUE(b.book.hopeless(0, 1, 0));
}

// Softmax with two classes and one row x = 1 of class 0. A model (-a, a) is wrong by about 2 a, and there the
// slope of the loss is its steepest, sqrt 2: from 5 to 15 the loss grows by 20 while the scores move by 10
// sqrt 2. A bound with a slope of 1 would end at 24.1 and rule out a model whose loss is 25.
TEST(Bounds, ALossMayGrowByTheSteepestSlope) {
  const std::unique_ptr<Model> model = make_plugin<Model>("softmax", "intercept = false");
  model->bind({Task::classification, 1, 2, 0, 0, 0}, 1);
  auto wrong = [](double a) { return Vec{-a, a}; };
  auto figures = [](double a) {  // loss, then means of g, g|x|, g|h|, |x|, |h|
    return Vec{2 * a, std::sqrt(2.0), std::sqrt(2.0), 0, 1, 0};
  };
  for (const double rival : {12.5, 15.5}) {
    BoundBook book(*model, Precision::f64);
    book.enter({wrong(5), wrong(rival)});
    book.learn(0, {0, figures(5)});
    book.learn(0, {1, figures(rival)});
    EXPECT_TRUE(book.hopeless(0, 1, 0));
    book.enter({wrong(15), wrong(rival)});
    EXPECT_EQ(book.hopeless(0, 1, 0), rival > 15) << "the own loss is now 30, the rival's " << 2 * rival;
  }
}

TEST(Bounds, FiguresThatMakeNoSenseAreAsGoodAsNone) {
  Book b;
  b.book.enter({{1.0}, {5.0}});
  b.book.learn(0, at(0, 1));
  const double inf = std::numeric_limits<double>::infinity();
  for (const Evidence& bad :
       {Evidence{1, {}}, Evidence{1, {-1, 1, 0, 0, 0, 0}}, Evidence{1, {inf, 1, 0, 0, 0, 0}},
        Evidence{1, {1e300, 1, 0, 0, 0, 0}}, Evidence{1, {std::nan(""), 1, 0, 0, 0, 0}},
        Evidence{7, {12.5, 1, 0, 0, 0, 0}}}) {
    b.book.learn(0, bad);
    EXPECT_FALSE(b.book.hopeless(0, 1, 0));
  }
  EXPECT_FALSE(b.book.hopeless(0, 9, 0));
  EXPECT_FALSE(b.book.hopeless(0, 1, 0xffffffff)) << "no model of its own";
}

// Two classes and one row, x = 1 of class 0, under weights (s, -s): the loss is log(1 + exp(-2 s)). From s =
// 1 to s = -9 it rises to 18, nearly by 2 for each unit of s, which is sqrt(2) for each unit of |(s, -s)|. So
// the rival's 16 wins in the end; with a slope of 1 it would seem that the own loss cannot have passed 14.3.
TEST(Bounds, ALossOfClassesMayRiseBySqrtTwoForEachUnitOfItsScores) {
  const std::unique_ptr<Model> model = make_plugin<Model>("softmax");
  model->bind({Task::classification, 1, 2, 0, 0, 0}, 1);
  ASSERT_EQ(model->size(), 4u) << "two weights and two intercepts";
  BoundBook book(*model, Precision::f64);
  auto seen = [](std::uint32_t k, double s) {
    const double slope = std::sqrt(2.0) / (1 + std::exp(2 * s));  // |softmax - label|
    return Evidence{k, {std::log1p(std::exp(-2 * s)), slope, slope, 0, 1, 0}};
  };
  book.enter({{1, -1, 0, 0}, {-8, 8, 0, 0}});
  book.learn(0, seen(0, 1));
  book.learn(0, seen(1, -8));
  EXPECT_TRUE(book.hopeless(0, 1, 0));
  book.enter({{-9, 9, 0, 0}, {-8, 8, 0, 0}});
  EXPECT_FALSE(book.hopeless(0, 1, 0));
}

// One hidden unit and two classes: w1, b1, two weights and two intercepts of the scores. The row is x = 1 of
// class 0, so with w1 = 1 and b1 = 0 the unit is 1.
struct Network {
  std::unique_ptr<Model> model = make_plugin<Model>("mlp", "hidden = [1]");
  BoundBook book;
  Network() {
    model->bind({Task::classification, 1, 2, 0, 0, 0}, 1);
    book = BoundBook(*model, Precision::f64);
  }
  // Of scores that are `margin` apart.
  void learn(std::uint32_t k, double margin) {
    const double slope = std::sqrt(2.0) / (1 + std::exp(margin));
    book.learn(0, {k, {std::log1p(std::exp(-margin)), slope, slope, slope, 1, 1}});
  }
};

// The rival's scores go from -2 to 2 by its second layer alone: its loss falls from 2.1 to 0.13, below log 2.
TEST(Bounds, ARivalMayCatchUpByItsSecondLayer) {
  Network n;
  n.book.enter({{1, 0, 0, 0, 0, 0}, {1, 0, -1, 1, 0, 0}});
  n.learn(0, 0);
  n.learn(1, -2);
  EXPECT_TRUE(n.book.hopeless(0, 1, 0));
  n.book.enter({{1, 0, 0, 0, 0, 0}, {1, 0, 1, -1, 0, 0}});
  EXPECT_FALSE(n.book.hopeless(0, 1, 0));
}

// The own unit goes from 1 to 0, and its scores, 20 times that less 10, from 10 to -10: its loss is 10 then,
// where the rival's is 5.
TEST(Bounds, AHeadMakesMuchOfASmallChangeBelowIt) {
  Network n;
  n.book.enter({{1, 0, 10, -10, -5, 5}, {1, 0, 0, 0, -2.5, 2.5}});
  n.learn(0, 10);
  n.learn(1, -5);
  EXPECT_TRUE(n.book.hopeless(0, 1, 0));
  n.book.enter({{0, 0, 10, -10, -5, 5}, {1, 0, 0, 0, -2.5, 2.5}});
  EXPECT_FALSE(n.book.hopeless(0, 1, 0));
}

TEST(Bounds, OfEqualLossesTheFirstIsChosen) {
  TinyRun run({{{{3}, {4}}, {0, 0}, 0}}, {});
  ClientView view(*run.engine, 0, {}, {});
  EXPECT_EQ(weigh(view, Shelf({{2.0}, {1.0}, {1.0}}, Precision::f64)).choice.model, 1u);
}

TEST(Bounds, WeighingGivesTheFiguresOfTheDefinition) {
  // Rows x = 3, 4 and y = 0, at w = 1: losses 4.5 and 8; |X|^2 <= 25, the sum of squares.
  TinyRun run({{{{3}, {4}}, {0, 0}, 0}}, {});
  ClientView view(*run.engine, 0, {}, {});
  const Weighed weighed = weigh(view, Shelf({{2.0}, {1.0}}, Precision::f64));
  EXPECT_EQ(weighed.choice.model, 1u);
  EXPECT_DOUBLE_EQ(weighed.choice.loss, 6.25);
  ASSERT_EQ(weighed.seen.size(), 2u);
  EXPECT_DOUBLE_EQ(weighed.seen[1].figures[0], 6.25);
  EXPECT_NEAR(weighed.seen[1].figures[1], std::sqrt(25.0 / 2), 1e-3);
  EXPECT_GE(weighed.seen[1].figures[1], std::sqrt(25.0 / 2));
}

TEST(Bounds, AModelThatDivergedGivesNoEvidence) {
  TinyRun run({{{{3}, {4}}, {0, 0}, 0}}, {});
  ClientView view(*run.engine, 0, {}, {});
  const Weighed weighed = weigh(view, Shelf({{1e200}, {1.0}}, Precision::f64));
  EXPECT_EQ(weighed.choice.model, 1u);
  ASSERT_EQ(weighed.seen.size(), 1u);
  EXPECT_EQ(weighed.seen[0].model, 1u);
}

}  // namespace
}  // namespace coterie::bounds_test
