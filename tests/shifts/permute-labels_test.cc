#include <gtest/gtest.h>

#include <numeric>

#include "coterie/shift.h"
#include "support/plugins.h"

namespace coterie::permute_labels_test {
namespace {

// The new label of each class.
std::vector<double> renamed(const Shift& shift, std::size_t variant, std::size_t classes) {
  Samples samples;
  samples.shape = {.width = 0, .classes = classes};
  samples.targets.resize(classes);
  std::iota(samples.targets.begin(), samples.targets.end(), 0.0);
  Stream stream(1, {.purpose = Purpose::shift});
  shift.check_shape(samples.shape);
  shift.apply(variant, samples, stream);
  return samples.targets;
}

std::vector<std::size_t> canonicals(const Shift& shift, std::size_t classes) {
  std::vector<std::size_t> first;
  for (std::size_t v = 0; v < shift.variants(); ++v)
    first.push_back(shift.canonical(v, {.classes = classes}));
  return first;
}

using Labels = std::vector<double>;
using Indices = std::vector<std::size_t>;

TEST(PermuteLabels, AddsModuloTheClasses) {
  const auto shift = make_plugin<Shift>("permute-labels", "rule = \"add\"\noffsets = [0, 1, 3, -1, 5]");
  EXPECT_EQ(renamed(*shift, 0, 4), (Labels{0, 1, 2, 3}));
  EXPECT_EQ(renamed(*shift, 1, 4), (Labels{1, 2, 3, 0}));
  EXPECT_EQ(renamed(*shift, 3, 4), (Labels{3, 0, 1, 2}));
  EXPECT_EQ(canonicals(*shift, 4), (Indices{0, 1, 2, 2, 1}));
  EXPECT_EQ(shift->variant_name(1), "labels +1");
}

TEST(PermuteLabels, SwapsPairsBesidesTheIdentity) {
  const auto shift =
      make_plugin<Shift>("permute-labels", "rule = \"swap\"\npairs = [[0, 2], [2, 0], [1, 3]]");
  ASSERT_EQ(shift->variants(), 4u);
  EXPECT_EQ(renamed(*shift, 0, 4), (Labels{0, 1, 2, 3}));
  EXPECT_EQ(renamed(*shift, 1, 4), (Labels{2, 1, 0, 3}));
  EXPECT_EQ(renamed(*shift, 3, 4), (Labels{0, 3, 2, 1}));
  EXPECT_EQ(canonicals(*shift, 4), (Indices{0, 1, 1, 3}));
}

TEST(PermuteLabels, RotatesTheFirstLabelsOnly) {
  const auto shift =
      make_plugin<Shift>("permute-labels", "rule = \"rotate-first\"\nbeta = 0.4\nconcepts = 3");
  EXPECT_EQ(renamed(*shift, 1, 10), (Labels{1, 2, 3, 0, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(renamed(*shift, 2, 10), (Labels{2, 3, 0, 1, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(canonicals(*shift, 10), (Indices{0, 1, 2}));
}

// floor(10 x 0.2) = 2 labels go round: two steps are none.
TEST(PermuteLabels, FindsConceptsThatCoincide) {
  const auto shift =
      make_plugin<Shift>("permute-labels", "rule = \"rotate-first\"\nbeta = 0.2\nconcepts = 3");
  EXPECT_EQ(canonicals(*shift, 10), (Indices{0, 1, 0}));
  EXPECT_EQ(canonicals(*shift, 100), (Indices{0, 1, 2}));
}

TEST(PermuteLabels, RotatesAsManyLabelsAsTheShareSays) {
  const auto shift =
      make_plugin<Shift>("permute-labels", "rule = \"rotate-first\"\nbeta = 0.29\nconcepts = 2");
  EXPECT_EQ(renamed(*shift, 1, 100)[28], 0);  // 0.29 x 100 is a little below 29 in binary
  EXPECT_EQ(renamed(*shift, 1, 100)[29], 29);
}

TEST(PermuteLabels, TurnsTheScaleRound) {
  const auto shift = make_plugin<Shift>("permute-labels", "rule = \"opposite\"");
  EXPECT_EQ(renamed(*shift, 0, 5), (Labels{0, 1, 2, 3, 4}));
  EXPECT_EQ(renamed(*shift, 1, 5), (Labels{4, 3, 2, 1, 0}));
}

TEST(PermuteLabels, TakesPermutationsWrittenOut) {
  const auto shift = make_plugin<Shift>("permute-labels",
                                        "rule = \"permutations\"\npermutations = [[0,1,2],[2,0,1],[0,1,2]]");
  EXPECT_EQ(renamed(*shift, 1, 3), (Labels{2, 0, 1}));
  EXPECT_EQ(canonicals(*shift, 3), (Indices{0, 1, 0}));
}

TEST(PermuteLabels, RefusesWhatDoesNotFitTheClasses) {
  const auto shape = [](std::size_t classes) { return Shape{.classes = classes}; };
  const auto swap = make_plugin<Shift>("permute-labels", "rule = \"swap\"\npairs = [[0, 5]]");
  EXPECT_THROW(swap->check_shape(shape(5)), Error);
  EXPECT_NO_THROW(swap->check_shape(shape(6)));
  const auto listed =
      make_plugin<Shift>("permute-labels", "rule = \"permutations\"\npermutations = [[0, 1, 1]]");
  EXPECT_THROW(listed->check_shape(shape(3)), Error);
  const auto first = make_plugin<Shift>("permute-labels", "rule = \"rotate-first\"\nbeta = 0.1");
  EXPECT_THROW(first->check_shape(shape(10)), Error);
  EXPECT_NO_THROW(first->check_shape(shape(20)));
  EXPECT_THROW(first->check_shape({.task = Task::regression}), Error);
}

TEST(PermuteLabels, RefusesRulesWithoutTheirLists) {
  EXPECT_THROW(make_plugin<Shift>("permute-labels", "rule = \"swap\""), BadConfig);
  EXPECT_THROW(make_plugin<Shift>("permute-labels", "rule = \"swap\"\npairs = [[1]]"), BadConfig);
  EXPECT_THROW(make_plugin<Shift>("permute-labels", "rule = \"permutations\""), BadConfig);
  EXPECT_THROW(make_plugin<Shift>("permute-labels", "rule = \"add\"\noffsets = []"), BadConfig);
}

}  // namespace
}  // namespace coterie::permute_labels_test
