#include "report/split_tree.h"

#include <gtest/gtest.h>

#include "report/fake_runs.h"
#include "report/markup.h"

namespace coterie::split_tree_test {
namespace {

TEST(SplitTree, ShowsWhoWentWhereAndWhy) {
  TemporaryFolder folder;
  write_ward_run(folder / "run");
  const std::string html = split_tree_card(read_facts(folder / "run"));
  EXPECT_TRUE(is_balanced(html));
  EXPECT_TRUE(has(html, "round 4: splits")) << html;
  EXPECT_TRUE(has(html, "norm = 0.25"));
  EXPECT_TRUE(has(html, "cluster 1: 2 clients go: O&#39;Hara, &quot;x&quot;, two\nlines")) << html;
  EXPECT_TRUE(has(html, "<b>cluster 0</b> at the end: 2 clients, &lt;script&gt;, 北京")) << html;
}

EventLine event(std::uint32_t round, const std::string& kind,
                std::vector<std::pair<std::string, double>> numbers) {
  return {round, kind, {}, "", std::move(numbers)};
}

// Cluster 1 goes; what was cluster 2 is cluster 1 from then on, and takes in cluster 0 as its number says.
TEST(SplitTree, FollowsTheNumbersOfClusters) {
  RunFacts facts;
  facts.events = {event(1, "split", {{"cluster", 0}, {"stay", 5}, {"go", 3}, {"part", 1}, {"clusters", 2}}),
                  event(2, "split", {{"cluster", 1}, {"stay", 2}, {"go", 1}, {"part", 2}, {"clusters", 3}}),
                  event(3, "removed", {{"cluster", 1}, {"clusters", 2}}),
                  event(4, "merged", {{"cluster", 0}, {"gone", 1}, {"similarity", 0.9}, {"clusters", 1}})};
  const std::string html = split_tree_card(facts);
  EXPECT_TRUE(is_balanced(html));
  EXPECT_TRUE(has(html, "round 3: is removed"));
  EXPECT_TRUE(has(html, "round 4: joins cluster 0</div><div class=\"why\">similarity = 0.9"));
  EXPECT_EQ(count_of(html, "at the end"), 1u + 1u);  // one cluster, and the note
}

TEST(SplitTree, OneEventMayDivideEverybody) {
  RunFacts facts;
  facts.events = {event(2, "split", {{"gap", 3}, {"clusters", 4}})};
  const std::string html = split_tree_card(facts);
  EXPECT_TRUE(has(html, "round 2: falls into 4 clusters")) << html;
  EXPECT_TRUE(has(html, "gap = 3"));
  EXPECT_EQ(count_of(html, "<b>cluster"), 4u);
}

TEST(SplitTree, IsNotDrawnFromEventsThatDoNotFitTogether) {
  RunFacts facts;
  EXPECT_EQ(split_tree_card(facts), "");
  facts.events = {event(1, "split", {{"cluster", 7}, {"part", 1}, {"clusters", 2}})};
  EXPECT_EQ(split_tree_card(facts), "");
}

}  // namespace
}  // namespace coterie::split_tree_test
