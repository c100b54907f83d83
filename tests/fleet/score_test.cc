#include "coterie/methods/score.h"

#include <gtest/gtest.h>

#include <limits>

namespace coterie::score_test {
namespace {

ScoreReply reply_of(double samples, double right, Vec weights = {0.5, 0.5}) {
  ScoreReply reply;
  reply.weights = std::move(weights);
  reply.own.samples = samples;
  reply.own.add({right});
  return reply;
}

TEST(RefuseScore, HitsAreAtMostAllSamples) {
  ScoreNote note;
  note.reports = {"right"};
  EXPECT_EQ(refuse_score(note, reply_of(10, 10), 2), "");
  EXPECT_EQ(refuse_score(note, reply_of(10, 0), 2), "");
  EXPECT_EQ(refuse_score(note, reply_of(10, 12), 2), "its scores are impossible: 12 hits in 10 samples");
  EXPECT_NE(refuse_score(note, reply_of(10, -1), 2), "");
  ScoreReply of_test_set = reply_of(10, 10);
  of_test_set.test = Score{5, {{1, true}}, {{6}}};
  EXPECT_NE(refuse_score(note, of_test_set, 2), "");
}

TEST(RefuseScore, OneListOfNumbersForEachReport) {
  ScoreNote note;
  note.reports = {"right", "class_counts"};
  Shape shape;
  shape.classes = 2;
  ScoreReply reply = reply_of(3, 2);
  EXPECT_EQ(refuse_score(note, reply, 2, shape), "it tells 1 of 2 reports");
  reply.own.add({2, 1, 1, 2, 1, 1});
  EXPECT_EQ(refuse_score(note, reply, 2, shape), "");
  EXPECT_EQ(reply.own.of(1), (Vec{2, 1, 1, 2, 1, 1}));
  EXPECT_EQ(reply.own.number(0), 2);
  reply.own.told.back().finite = false;
  EXPECT_EQ(refuse_score(note, reply, 2, shape), "it reports numbers that it says are not finite");
  reply.own.told.back() = {0, false};
  EXPECT_EQ(refuse_score(note, reply, 2, shape), "it reports 7 numbers and says that they are 1");
  reply = reply_of(3, 2);
  reply.own.add({2, 1, 1, 2, 3, 1});
  EXPECT_EQ(refuse_score(note, reply, 2, shape), "its counts of classes are impossible for 3 samples");
  reply = reply_of(3, 2);
  reply.own.add({1, std::numeric_limits<double>::quiet_NaN()});
  EXPECT_EQ(refuse_score(note, reply, 2, shape), "");
  EXPECT_TRUE(reply.own.of(1).empty());
}

TEST(RefuseScore, WeightsAreSharesOfTheModels) {
  ScoreNote note;
  note.reports = {"right"};
  const double inf = std::numeric_limits<double>::infinity();
  for (const Vec& bad : {Vec{}, Vec{1, 0, 0}, Vec{-0.5, 1.5}, Vec{inf, 0}}) {
    EXPECT_NE(refuse_score(note, reply_of(10, 5, bad), 2), "") << bad.size();
  }
  note.weights = false;
  EXPECT_EQ(refuse_score(note, reply_of(10, 5, {}), 2), "") << "not asked for";
}

}  // namespace
}  // namespace coterie::score_test
