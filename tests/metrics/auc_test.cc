#include <gtest/gtest.h>

#include <cmath>

#include "metrics/evaluations.h"

namespace coterie::auc_test {
namespace {

// (bin, others, own) for bins that have rows; two classes.
Evaluation with_histograms(const std::vector<Vec>& histograms, const std::vector<Vec>& own,
                           const Vec& counts = {0, 0, 0, 0, 0, 0}) {
  Evaluation e;
  e.reports = {"auc", "class_counts", "score_histogram"};
  for (std::size_t i = 0; i < histograms.size(); ++i) {
    add(e, Role::train, 0, 0, 4, 0, 0);
    e.scores.back().told = {own[i], counts, histograms[i]};
  }
  return e;
}

// Own rows of both clients: two at 20, with one other below and one beside; one at 30, with two below; one at
// 40, with two below and one beside. Pairs won: 2 * 1.5 + 2 + 2.5, of 4 * 3.
TEST(Auc, PooledFromHistogramsWithTiesAsHalves) {
  const Evaluation e =
      with_histograms({{10, 1, 0, 20, 1, 1, 30, 0, 1}, {20, 0, 1, 40, 1, 1}}, {{0.9}, {0.25}});
  const Record r = measure("auc", e);
  EXPECT_DOUBLE_EQ(r.number("auc"), 7.5 / 12);
  EXPECT_DOUBLE_EQ(r.number("auc_worst"), 0.25) << "a client's own is exact, as it was told";
}

TEST(Auc, NoFigureAtAClientWithOneClass) {
  const Evaluation e = with_histograms({{10, 1, 0, 20, 1, 0}, {20, 0, 1, 40, 1, 1}}, {{}, {0.25}});
  const Record r = measure("auc", e);
  EXPECT_DOUBLE_EQ(r.number("auc"), (2 - 0.5 + 2.5) / (2 * 3));
  EXPECT_DOUBLE_EQ(r.number("auc_worst"), 0.25);
}

// Three classes with 4096 bins each: the first apart from the rest, the second the wrong way round, the third
// without rows.
TEST(Auc, OneAgainstTheRestForMoreClasses) {
  const Vec told = {100, 2, 0, 200, 0, 2, 4096 + 100, 0, 2, 4096 + 200, 2, 0, 8192 + 7, 4, 0};
  const Evaluation e = with_histograms({told, told}, {{0.5}, {0.5}}, {2, 2, 0, 2, 2, 0, 2, 2, 0});
  EXPECT_DOUBLE_EQ(measure("auc", e).number("auc"), 0.5);
}

}  // namespace
}  // namespace coterie::auc_test
