#include "fleet/reports.h"

#include <gtest/gtest.h>

#include <cmath>

#include "coterie/methods/score.h"
#include "coterie/random.h"

namespace coterie::reports_test {
namespace {

const double kNan = std::nan("");

Samples labelled(std::size_t classes, std::vector<double> labels) {
  Samples samples;
  samples.shape.classes = classes;
  samples.targets = std::move(labels);
  return samples;
}

Vec told(const char* name, const Vec& outputs, const Samples& samples) {
  return find_report(name)->tell({outputs, Vec(samples.size(), 0.0)}, samples);
}

std::string refusal(const char* name, const Vec& values, double samples, std::size_t classes = 2) {
  Shape shape;
  shape.classes = classes;
  return find_report(name)->refuse(values, samples, shape);
}

// Probabilities of two classes from those of the second.
Vec pairs(const Vec& second) {
  Vec outputs;
  for (const double p : second) outputs.insert(outputs.end(), {1 - p, p});
  return outputs;
}

TEST(Reports, CountsOfClasses) {
  const Samples samples = labelled(3, {0, 0, 1, 2});
  const Vec outputs = {0.8, 0.1, 0.1, 0.2, 0.7, 0.1, 0.1, 0.8, 0.1, 0.5, 0.3, 0.2};
  EXPECT_EQ(told("class_counts", outputs, samples), (Vec{2, 1, 1, 2, 2, 0, 1, 1, 0}));
  EXPECT_EQ(told("right", outputs, samples), Vec{2});
  EXPECT_EQ(refusal("class_counts", {2, 1, 1, 2, 2, 0, 1, 1, 0}, 4, 3), "");
  EXPECT_NE(refusal("class_counts", {2, 1, 1, 2, 2, 0, 1, 1, 0}, 5, 3), "") << "of other samples";
  EXPECT_NE(refusal("class_counts", {2, 1, 1, 2, 2, 0, 1, 1, 1}, 4, 3), "") << "more right than predicted";
  EXPECT_NE(refusal("class_counts", {2, 1, 1.5, 2, 2, 0, 1, 1, 0}, 4.5, 3), "") << "half a row";
  EXPECT_NE(refusal("class_counts", {3, 2, -1, 2, 2, 0, 1, 1, -1}, 4, 3), "");
  EXPECT_NE(refusal("class_counts", {2, 1, 1}, 4, 3), "");
}

TEST(Reports, LogLossHasAFloor) {
  const Samples samples = labelled(2, {1, 0, 1});
  EXPECT_DOUBLE_EQ(told("log_loss", pairs({0.5, 0.75, 0}), samples)[0],
                   std::log(2.0) + std::log(4.0) + 52 * std::log(2.0));
  EXPECT_TRUE(std::isnan(told("log_loss", {0.5, 0.5, kNan, kNan, 0.5, 0.5}, samples)[0]));
  EXPECT_EQ(refusal("log_loss", {108}, 3), "");
  EXPECT_NE(refusal("log_loss", {-0.1}, 3), "");
  EXPECT_NE(refusal("log_loss", {200}, 3), "") << "beyond the floor";
}

TEST(Reports, BrierIsTheSquaredDistance) {
  const Samples samples = labelled(2, {1, 1});
  EXPECT_DOUBLE_EQ(told("brier", pairs({0.8, 0.4}), samples)[0], 0.8);
  EXPECT_NE(refusal("brier", {4.5}, 2), "");
}

// Own scores 0.9, 0.5, 0.3; others 0.5, 0.2: pairs won 2 + 1.5 + 1.
TEST(Reports, ExactAucCountsTiesAsHalves) {
  const Samples samples = labelled(2, {1, 1, 1, 0, 0});
  EXPECT_DOUBLE_EQ(told("auc", pairs({0.9, 0.5, 0.3, 0.5, 0.2}), samples)[0], 4.5 / 6);
  EXPECT_TRUE(std::isnan(told("auc", pairs({0.9, 0.5}), labelled(2, {1, 1}))[0]));
  EXPECT_TRUE(std::isnan(told("auc", pairs({kNan, 0.5}), labelled(2, {1, 0}))[0]));
  EXPECT_NE(refusal("auc", {1.01}, 5), "");
}

// Class 0 against the rest: own 0.6, 0.2, others 0.3, 0.2: (2 + 0.5) / 4. Class 1: own 0.3, others 0.3, 0.5,
// 0.1 = 1.5 / 3. Class 2: own 0.7; others 0.1, 0.3, 0.4 = 1. Class 3 has no rows.
TEST(Reports, AucOfSeveralClassesIsTheMeanOverThoseThatHaveRows) {
  const Samples samples = labelled(4, {0, 0, 1, 2});
  const Vec outputs = {0.6, 0.3, 0.1, 0, 0.2, 0.5, 0.3, 0, 0.3, 0.3, 0.4, 0, 0.2, 0.1, 0.7, 0};
  EXPECT_DOUBLE_EQ(told("auc", outputs, samples)[0], (2.5 / 4 + 1.5 / 3 + 1) / 3);
}

TEST(Reports, BinsOfScores) {
  const std::size_t bins = 1 << 14;
  EXPECT_EQ(score_bin(0, bins), 0u);
  EXPECT_EQ(score_bin(1, bins), bins - 1);
  EXPECT_EQ(score_bin(0.5, bins), bins / 2);
  EXPECT_EQ(score_bin(-1, bins), 0u);
  EXPECT_EQ(score_bin(2, bins), bins - 1);
  EXPECT_EQ(score_bin(1e-300, bins), 0u);
}

TEST(Reports, HistogramHasOnlyFilledBins) {
  const Samples samples = labelled(2, {1, 0, 0});
  const Vec values = told("score_histogram", pairs({0.5, 0.5, 0}), samples);
  EXPECT_EQ(values, (Vec{0, 1, 0, 8192, 1, 1}));
  EXPECT_EQ(refusal("score_histogram", values, 3), "");
  EXPECT_NE(refusal("score_histogram", values, 4), "") << "of other samples";
  EXPECT_NE(refusal("score_histogram", {8192, 1, 1, 0, 1, 0}, 3), "") << "not ascending";
  EXPECT_NE(refusal("score_histogram", {0, 1, 0, 0, 1, 1}, 3), "") << "twice";
  EXPECT_NE(refusal("score_histogram", {0, 1, 0, 16384, 1, 1}, 3), "") << "no such bin";
  EXPECT_NE(refusal("score_histogram", {0, 1, 0, 1e300, 1, 1}, 3), "");
  EXPECT_NE(refusal("score_histogram", {0, 1, 0, 7, 3, -1}, 3), "");
  EXPECT_NE(refusal("score_histogram", {0, 3}, 3), "");
  EXPECT_EQ(report_size("score_histogram", samples.shape, 100), 300u);
  EXPECT_EQ(report_size("score_histogram", labelled(10, {}).shape, 5), 150u);
  EXPECT_EQ(report_size("errors", samples.shape, 5), 0u) << "for another task";
}

// Scores of rare positives, of widely and of barely separated ones: what the bins lose.
TEST(Reports, HistogramsGiveTheAucToAThousandth) {
  struct Case {
    double middle, spread, apart, rate;
  };
  for (const Case& c :
       {Case{0, 1, 1, 0.5}, Case{-4, 1, 0.8, 0.05}, Case{0, 0.02, 0.03, 0.3}, Case{6, 4, 3, 0.9}}) {
    Stream stream(7, {Purpose::evaluate, 0, 0, 0});
    Vec second;
    std::vector<double> labels;
    for (int i = 0; i < 4000; ++i) {
      const bool own = stream.uniform() < c.rate;
      const double odds = c.middle + c.spread * stream.normal() + (own ? c.apart : 0);
      labels.push_back(own ? 1 : 0);
      second.push_back(1 / (1 + std::exp(-odds)));
    }
    const Samples samples = labelled(2, labels);
    const Vec histogram = told("score_histogram", pairs(second), samples);
    double below = 0, own = 0, won = 0;
    for (std::size_t i = 0; i < histogram.size(); i += 3) {
      won += histogram[i + 2] * (below + histogram[i + 1] / 2);
      below += histogram[i + 1];
      own += histogram[i + 2];
    }
    EXPECT_NEAR(won / (own * below), told("auc", pairs(second), samples)[0], 1e-3) << c.middle;
  }
}

TEST(Reports, ErrorsOfARegression) {
  Samples samples;
  samples.shape.task = Task::regression;
  samples.targets = {1, 2, 6};
  EXPECT_EQ(told("errors", {2, 4, 6}, samples), (Vec{3, 5}));
  EXPECT_EQ(told("target_spread", {2, 4, 6}, samples), (Vec{3, 14}));
  EXPECT_EQ(refusal("errors", {3, 5}, 3), "");
  EXPECT_EQ(refusal("errors", {0, 0}, 0), "");
  EXPECT_NE(refusal("errors", {3, 10}, 3), "") << "the largest error alone would exceed the sum";
  EXPECT_NE(refusal("errors", {3, 2.9}, 3), "") << "less than three equal errors have";
  EXPECT_NE(refusal("errors", {-3, 5}, 3), "");
  EXPECT_NE(refusal("errors", {3}, 3), "");
  EXPECT_NE(refusal("target_spread", {3, -1}, 3), "");
}

}  // namespace
}  // namespace coterie::reports_test
