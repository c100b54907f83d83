#include <gtest/gtest.h>

#include <cmath>

#include "metrics/evaluations.h"

namespace coterie::parameter_error_test {
namespace {

struct Figures {
  double worst;
  double mean;
  double nearest;
};

Figures error(const std::vector<std::optional<Vec>>& truth, const std::vector<Vec>& models,
              std::size_t intercepts = 0) {
  Truth t{truth.size(), std::vector<std::string>(truth.size()), truth};
  Evaluation e;
  e.task = Task::regression;
  e.truth = &t;
  e.models = models;
  e.intercepts = intercepts;
  Record r = measure("parameter-error", e);
  return {r.number("parameter_error"), r.number("parameter_error_mean"), r.number("parameter_error_nearest")};
}

TEST(ParameterError, MatchesModelsToTrueParameters) {
  Figures f = error({Vec{0, 0}, Vec{10, 0}}, {Vec{10, 1}, Vec{3, 4}});
  EXPECT_DOUBLE_EQ(f.worst, 5);
  EXPECT_DOUBLE_EQ(f.mean, 3);
}

TEST(ParameterError, WorstAndMeanHaveTheirOwnMatching) {
  // Distances of the true clusters (0, 0) and (3, 0) to the models (3, 0) and (3, 4): 3 and 5; 0 and 4.
  // In order 3 and 4; crossed 5 and 0.
  Figures f = error({Vec{0, 0}, Vec{3, 0}}, {Vec{3, 0}, Vec{3, 4}});
  EXPECT_DOUBLE_EQ(f.worst, 4);
  EXPECT_DOUBLE_EQ(f.mean, 2.5);
}

TEST(ParameterError, NearestAllowsTwoModelsAtOneTruth) {
  Figures f = error({Vec{0}, Vec{10}}, {Vec{1}, Vec{-2}});
  EXPECT_DOUBLE_EQ(f.nearest, 1.5);
  EXPECT_DOUBLE_EQ(f.worst, 9);
}

TEST(ParameterError, DropsIntercepts) {
  Figures f = error({Vec{1, 2}}, {Vec{1, 2, 99}}, 1);
  EXPECT_EQ(f.worst, 0);
  EXPECT_EQ(f.mean, 0);
}

TEST(ParameterError, SpareModelsAreLeftOut) {
  Figures f = error({Vec{0}, Vec{6}}, {Vec{100}, Vec{7}, Vec{2}});
  EXPECT_DOUBLE_EQ(f.worst, 2);
  EXPECT_DOUBLE_EQ(f.mean, 1.5);
}

TEST(ParameterError, WithTooFewModelsEachTrueClusterTakesTheNearest) {
  Figures f = error({Vec{0}, Vec{6}, Vec{7}}, {Vec{1}, Vec{10}});
  EXPECT_DOUBLE_EQ(f.worst, 4);
  EXPECT_DOUBLE_EQ(f.mean, (1 + 4 + 3) / 3.0);
}

TEST(ParameterError, DoesNotApplyToUnknownOrOtherParameters) {
  EXPECT_TRUE(std::isnan(error({Vec{0}, std::nullopt}, {Vec{0}, Vec{0}}).worst));
  EXPECT_TRUE(std::isnan(error({Vec{0, 1}}, {Vec{0, 1, 2}}).worst));
  EXPECT_TRUE(std::isnan(error({Vec{0, 1}}, {Vec{0}}, 1).worst));
  EXPECT_TRUE(std::isnan(error({}, {Vec{0}}).worst));
  EXPECT_TRUE(std::isnan(error({Vec{0}}, {}).worst));
  EXPECT_TRUE(std::isnan(error({Vec{0}}, {Vec{std::nan("")}}).mean));
}

}  // namespace
}  // namespace coterie::parameter_error_test
