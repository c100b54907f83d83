// The figures of objectives through splits, removals and mergers, from counts and moments given by hand.
#include <gtest/gtest.h>

#include "algorithms/tier_states.h"

namespace coterie::tiers_figures_test {
namespace {

using Kind = ClusterEdit::Kind;
using Parts = ClusterEdit::Parts;

// An objective by itself, as the server has it.
struct Figures {
  Figures(const std::string& kind, const TierOptions& given, std::size_t clusters) : options(given) {
    objective = Registry<TierObjective>::instance().make(kind);
    objective->prepare(options, *run.setting);
    objective->start(*run.fleet, clusters);
  }
  void learn(const Vec& first, const Vec& second) {
    objective->hear(0, first);
    objective->hear(1, second);
    objective->learn();
  }
  void edit(Kind kind, std::uint32_t cluster, std::uint32_t other = 0) {
    objective->edited({kind, cluster, other, Parts::halves, {}});
  }
  void expect(const Vec& want, const std::string& what) const {
    const Vec got = objective->figures()[0];
    ASSERT_EQ(got.size(), want.size()) << what;
    for (std::size_t j = 0; j < want.size(); ++j) EXPECT_NEAR(got[j], want[j], 1e-12) << what << " " << j;
  }

  ClassRun run{GivenFederation({samples_of({{{1}, 0}}, 2), samples_of({{{1}, 1}}, 2)}), {}};
  TierOptions options;
  std::unique_ptr<TierObjective> objective;
};

// Counts of two classes in three clusters: sums are (4, 2), (3, 1) and (2, 4).
const Vec kFirst = {3, 1, 1, 1, 1, 1}, kSecond = {1, 1, 2, 0, 1, 3};
const double k23 = 2.0 / 3, k13 = 1.0 / 3;

TEST(TierFigures, AMergerAddsUpLabelCounts) {
  for (const auto& [into, gone] : {std::pair(0u, 2u), std::pair(2u, 0u)}) {
    Figures figures("correlation", {}, 3);
    figures.learn(kFirst, kSecond);
    figures.expect({k23, k13, 0.75, 0.25, k13, k23}, "three clusters");
    figures.edit(Kind::merge, into, gone);
    const Vec merged = {0.5, 0.5}, other = {0.75, 0.25};
    Vec want = into == 0 ? merged : other;
    want.insert(want.end(), into == 0 ? other.begin() : merged.begin(),
                into == 0 ? other.end() : merged.end());
    figures.expect(want, "the merged one, and the other as it was");
  }
}

// P is held from round 2 on, while counts go on: the merged cluster has that of the counts, now (9, 3) and
// (1, 3), and the other keeps what it was held at, though its counts are (2, 6).
TEST(TierFigures, HeldSharesOfOthersStayThroughAMerger) {
  TierOptions options;
  options.hold_after = 1;
  Figures figures("correlation", options, 3);
  figures.learn(kFirst, kSecond);
  figures.learn({4, 2, 1, 3, 1, 1}, {5, 1, 1, 3, 0, 2});
  figures.expect({k23, k13, 0.75, 0.25, k13, k23}, "held");
  figures.edit(Kind::merge, 0, 2);
  figures.expect({10.0 / 16, 6.0 / 16, 0.75, 0.25}, "after the merger");
  figures.edit(Kind::split, 1);
  figures.expect({10.0 / 16, 6.0 / 16, 0.75, 0.25, 0.75, 0.25}, "after a split");
}

// Weight, sum and squares of numbers: 1 and 3 in the first cluster; 5, and at the second client 6, 7 and 8,
// in the second. A Gaussian is told as 1, its mean and its variance.
TEST(TierFigures, GaussiansFollowSplitsMergersAndRemovals) {
  TierOptions options;
  options.embedding = 1;
  options.ridge = 0.1;
  Figures figures("joint", options, 2);
  figures.learn({2, 4, 10, 1, 5, 25}, {0, 0, 0, 3, 21, 149});
  const Vec first = {1, 2, 1.1}, second = {1, 6.5, 174.0 / 4 - 6.5 * 6.5 + 0.1};
  const auto all = [](std::vector<Vec> some) {
    Vec flat;
    for (const Vec& one : some) flat.insert(flat.end(), one.begin(), one.end());
    return flat;
  };
  figures.expect(all({first, second}), "two clusters");
  figures.edit(Kind::split, 0);
  figures.expect(all({first, second, first}), "the new one has that of the old");
  figures.objective->learn();
  figures.expect(all({first, second, first}), "and its moments");
  figures.edit(Kind::merge, 0, 1);
  const Vec merged = {1, 5, 184.0 / 6 - 25 + 0.1};
  figures.expect(all({merged, first}), "1, 3, 5, 6, 7, 8");
  figures.edit(Kind::remove, 0);
  figures.expect(first, "the rest");
  figures.objective->learn();
  figures.expect(first, "and its moments stay");
}

}  // namespace
}  // namespace coterie::tiers_figures_test
