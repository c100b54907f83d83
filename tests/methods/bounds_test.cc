#include "coterie/methods/bounds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/tiny_federation.h"

namespace coterie::bounds_test {
namespace {

// A linear model in one dimension without intercept: loss (w x - y)^2 / 2.
struct Book {
  std::unique_ptr<Model> model = make_plugin<Model>("linear");
  BoundBook book;
  Book() {
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

TEST(Bounds, ALeapFromASnapshotIsShorterThanTheWayThere) {
  Book b;
  b.book.enter({{1.0}, {5.0}});  // the first time is a snapshot
  b.book.learn(0, at(0, 1));
  b.book.learn(0, at(1, 5));
  for (int t = 0; t < 12; ++t) b.book.enter({{1.0}, {t % 2 == 0 ? 4.0 : 5.0}});  // to and fro: a way of 12
  EXPECT_TRUE(b.book.hopeless(0, 1, 0));
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
