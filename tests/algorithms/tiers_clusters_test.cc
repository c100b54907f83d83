// Algorithms 4 and 5 of the HCFL paper, and other edits, on one client's weights.
#include <gtest/gtest.h>

#include "algorithms/tiers/clusters.h"

namespace coterie::tiers_clusters_test {
namespace {

using Kind = ClusterEdit::Kind;
using Parts = ClusterEdit::Parts;

Vec after(const ClusterEdit& edit, ClientId client, Vec weights) {
  apply(edit, client, weights);
  return weights;
}

TEST(ClusterEdit, ASplitHalvesAndTheNewClusterComesLast) {
  EXPECT_EQ(after({Kind::split, 1, 0, Parts::halves, {}}, 7, {0.25, 0.5, 0.25}),
            (Vec{0.25, 0.25, 0.25, 0.25}));
}

TEST(ClusterEdit, ASplitMayResetAllOrMoveMembersWhole) {
  EXPECT_EQ(after({Kind::split, 0, 0, Parts::reset, {}}, 7, {0.9, 0.05, 0.05}), (Vec(4, 0.25)));
  const ClusterEdit whole{Kind::split, 0, 0, Parts::whole, {3, 7}};
  EXPECT_EQ(after(whole, 7, {0.75, 0.25}), (Vec{0, 0.25, 0.75}));
  EXPECT_EQ(after(whole, 5, {0.75, 0.25}), (Vec{0.75, 0.25, 0}));
}

TEST(ClusterEdit, ARemovalMakesTheRestSumToOne) {
  EXPECT_EQ(after({Kind::remove, 1, 0, Parts::halves, {}}, 7, {0.25, 0.5, 0.25}), (Vec{0.5, 0.5}));
  EXPECT_EQ(after({Kind::remove, 0, 0, Parts::halves, {}}, 7, {1, 0, 0}), (Vec{0.5, 0.5}))
      << "nothing was left";
}

TEST(ClusterEdit, AMergerAddsUp) {
  EXPECT_EQ(after({Kind::merge, 0, 2, Parts::halves, {}}, 7, {0.25, 0.5, 0.25}), (Vec{0.5, 0.5}));
}

TEST(ClusterEdit, NoWeightsStayNone) {
  for (Kind kind : {Kind::split, Kind::remove, Kind::merge})
    EXPECT_EQ(after({kind, 0, 1, Parts::halves, {}}, 7, {}), Vec());
}

TEST(ClusterEdit, MembershipsSumToOneThroughAnySequence) {
  Vec weights = {0.7, 0.2, 0.1};
  const std::vector<ClusterEdit> log = {{Kind::split, 0, 0, Parts::halves, {}},
                                        {Kind::remove, 1, 0, Parts::halves, {}},
                                        {Kind::split, 2, 0, Parts::whole, {4}},
                                        {Kind::merge, 1, 3, Parts::halves, {}},
                                        {Kind::remove, 0, 0, Parts::halves, {}}};
  for (const ClusterEdit& edit : log) {
    apply(edit, 4, weights);
    double sum = 0;
    for (double w : weights) sum += w;
    EXPECT_NEAR(sum, 1, 1e-15);
  }
  EXPECT_EQ(weights.size(), 2u);
}

}  // namespace
}  // namespace coterie::tiers_clusters_test
