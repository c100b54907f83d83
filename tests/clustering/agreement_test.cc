#include "clustering/agreement.h"

#include <gtest/gtest.h>

#include <cmath>

#include "coterie/error.h"
#include "coterie/random.h"

namespace coterie::agreement_test {
namespace {

using Labels = std::vector<std::uint32_t>;

double ari(const Labels& found, const Labels& truth) {
  return adjusted_rand_index(contingency(found, truth));
}
double nmi(const Labels& found, const Labels& truth) {
  return normalized_mutual_information(contingency(found, truth));
}
double matched(const Labels& found, const Labels& truth) { return matched_share(contingency(found, truth)); }

Labels random_labels(std::size_t count, std::uint64_t groups, std::uint32_t trial) {
  Stream stream(3, {.purpose = Purpose::test, .round = trial});
  Labels labels(count);
  for (auto& label : labels) label = static_cast<std::uint32_t>(stream.below(groups));
  return labels;
}

// Hubert and Arabie's form, over all pairs of items one by one: (index - expected) / (maximum - expected).
double ari_by_pairs(const Labels& a, const Labels& b) {
  double both = 0, in_a = 0, in_b = 0, all = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      both += a[i] == a[j] && b[i] == b[j];
      in_a += a[i] == a[j];
      in_b += b[i] == b[j];
      all += 1;
    }
  }
  double expected = in_a * in_b / all;
  return (both - expected) / ((in_a + in_b) / 2 - expected);
}

TEST(Agreement, KnowsPublishedValues) {
  // The examples of scikit-learn's documentation.
  EXPECT_DOUBLE_EQ(ari({0, 0, 1, 1}, {0, 0, 1, 2}), 4.0 / 7);
  EXPECT_DOUBLE_EQ(ari({0, 0, 1, 2}, {0, 0, 1, 1}), 4.0 / 7);
  EXPECT_DOUBLE_EQ(ari({0, 0, 0, 0}, {0, 1, 2, 3}), 0);
  EXPECT_DOUBLE_EQ(ari({0, 0, 1, 1}, {0, 1, 0, 1}), -0.5);
  // H(found) = log 2, H(truth) = 1.5 log 2, and the truth determines the found groups: I = log 2.
  EXPECT_DOUBLE_EQ(nmi({0, 0, 1, 1}, {0, 0, 1, 2}), 1 / 1.25);
  EXPECT_DOUBLE_EQ(nmi({0, 0, 0, 0}, {0, 1, 2, 3}), 0);
  EXPECT_NEAR(nmi({0, 0, 1, 1}, {0, 1, 0, 1}), 0, 1e-15);
}

TEST(Agreement, RandIndexEqualsACountOverAllPairs) {
  for (std::uint32_t trial = 0; trial < 20; ++trial) {
    Labels a = random_labels(40, 4, 2 * trial);
    Labels b = random_labels(40, 3, 2 * trial + 1);
    EXPECT_NEAR(ari(a, b), ari_by_pairs(a, b), 1e-13);
  }
}

TEST(Agreement, DoesNotDependOnNames) {
  Labels truth = {0, 0, 1, 1, 1, 2, 2};
  Labels same = {5, 5, 0, 0, 0, 3, 3};
  EXPECT_EQ(ari(same, truth), 1);
  EXPECT_DOUBLE_EQ(nmi(same, truth), 1);
  EXPECT_EQ(matched(same, truth), 1);
}

TEST(Agreement, DegenerateGroupings) {
  EXPECT_EQ(ari({0, 0, 0}, {0, 0, 0}), 1);
  EXPECT_EQ(nmi({0, 0, 0}, {0, 0, 0}), 1);
  EXPECT_EQ(ari({0, 1, 2}, {2, 1, 0}), 1);
  EXPECT_EQ(ari({0, 1, 1}, {0, 0, 0}), 0);
  EXPECT_EQ(nmi({0, 1, 1}, {0, 0, 0}), 0);
  EXPECT_TRUE(std::isnan(ari({}, {})));
  EXPECT_TRUE(std::isnan(nmi({}, {})));
  EXPECT_TRUE(std::isnan(matched({}, {})));
}

TEST(Agreement, MatchesOneToOne) {
  // Both found groups are mostly true group 0, but only one may stand for it: 3 of the first and 1 of the
  // second.
  EXPECT_DOUBLE_EQ(matched({0, 0, 0, 1, 1, 1}, {0, 0, 0, 0, 0, 1}), 4.0 / 6);
  // Two of three found groups find a true one.
  EXPECT_DOUBLE_EQ(matched({0, 0, 1, 1, 2}, {0, 0, 1, 1, 1}), 4.0 / 5);
  // One found group for two true ones.
  EXPECT_DOUBLE_EQ(matched({0, 0, 0}, {0, 1, 1}), 2.0 / 3);
}

TEST(Agreement, CountsWhoIsWhere) {
  Contingency table = contingency(Labels{2, 0, 2}, Labels{1, 0, 1});
  EXPECT_EQ(table.found, 3u);
  EXPECT_EQ(table.truth, 2u);
  EXPECT_EQ(table.counts, (std::vector<double>{1, 0, 0, 0, 0, 2}));
  EXPECT_THROW(contingency(Labels{0}, Labels{0, 1}), Bug);
}

}  // namespace
}  // namespace coterie::agreement_test
