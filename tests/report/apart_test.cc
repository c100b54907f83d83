#include "report/apart.h"

#include <gtest/gtest.h>

#include "report/fake_runs.h"
#include "report/markup.h"

namespace coterie::apart_test {
namespace {

TEST(Apart, MeansComeInTheOrderOfTheirDifference) {
  TemporaryFolder folder;
  write_ward_run(folder / "run");
  const std::string html = apart_cards(read_facts(folder / "run"));
  EXPECT_TRUE(is_balanced(html));
  // Ages differ by 0.3 deviations, shares of men by 1.5, gaps by none.
  const std::size_t men = html.find(">sex = m<");
  const std::size_t age = html.find(">age<");
  const std::size_t gaps = html.find(">sex is missing<");
  ASSERT_NE(gaps, std::string::npos) << html;
  EXPECT_LT(men, age);
  EXPECT_LT(age, gaps);
  EXPECT_TRUE(has(html, R"(<td style="--share:0.200" title="age in cluster 1: 52;)")) << html;
  EXPECT_TRUE(has(html, R"(<td class="minus" style="--share:0.600" title="sex = m in cluster 0: 20 %)"))
      << html;
}

TEST(Apart, ClassesAreSharesOfEachClustersRows) {
  TemporaryFolder folder;
  write_ward_run(folder / "run");
  const std::string html = class_mix_card(read_facts(folder / "run"));
  EXPECT_TRUE(is_balanced(html));
  EXPECT_TRUE(has(html, ">83 %</td><td")) << html;  // 25 of 30 rows of cluster 0 are "no"
  EXPECT_TRUE(has(html, "cluster 1: 3 of 20 training rows")) << html;
}

TEST(Apart, OneClusterHasNothingToBeToldFrom) {
  TemporaryFolder folder;
  write_ward_run(folder / "run");
  RunFacts facts = read_facts(folder / "run");
  facts.matrix.found[1].clients = 0;
  EXPECT_EQ(apart_cards(facts), "");
  EXPECT_EQ(class_mix_card(facts), "");
}

}  // namespace
}  // namespace coterie::apart_test
