#include "report/members.h"

#include <gtest/gtest.h>

#include "report/fake_runs.h"
#include "report/markup.h"

namespace coterie::members_test {
namespace {

TEST(Members, AreListedByNameWithTheirNextBestCluster) {
  TemporaryFolder folder;
  write_ward_run(folder / "run");
  const std::string html = members_card(read_facts(folder / "run"));
  EXPECT_TRUE(is_balanced(html));
  EXPECT_TRUE(has(html, "<h2>Members of each cluster</h2>"));
  EXPECT_EQ(count_of(html, "<details class=\"fold\" open>"), 2u);
  EXPECT_TRUE(has(html, "<td>&lt;script&gt;</td><td class=\"right\">10</td>")) << html;
  EXPECT_FALSE(has(html, "<script>"));
  EXPECT_TRUE(has(html, "O&#39;Hara, &quot;x&quot;"));
  EXPECT_TRUE(has(html, "<small>2 clients, 30 training rows, accuracy 76.7 %</small>")) << html;
  EXPECT_TRUE(has(html, "<td>cluster 1 (+100 %)</td>")) << html;  // 1 instead of 0.5
  EXPECT_TRUE(has(html, "<td>cluster 1 (far)</td>")) << html;     // 3 instead of 0.2
}

RunFacts crowd(std::size_t clients) {
  RunFacts facts;
  facts.matrix.found = {{"cluster 0", static_cast<double>(clients), 0, kAbsent, kAbsent, kAbsent}};
  facts.matrix.found_ids = {0};
  for (std::uint32_t i = 0; i < clients; ++i) {
    ClientRow client;
    client.id = i;
    client.name = "ward " + std::to_string(i);
    client.role = "train";
    client.samples = 5;
    client.cluster = 0;
    facts.clients.push_back(client);
  }
  return facts;
}

TEST(Members, ManyFoldAndVeryManyAreNamesAlone) {
  const std::string hundred = members_card(crowd(100));
  EXPECT_FALSE(has(hundred, " open>"));
  EXPECT_TRUE(has(hundred, "<td>ward 99</td>"));
  EXPECT_TRUE(has(hundred, "ward 11 and 88 more</span>")) << hundred.substr(0, 400);
  const std::string many = members_card(crowd(10000));
  EXPECT_FALSE(has(many, "<td>"));
  EXPECT_TRUE(has(many, "<span>ward 9999</span>"));
  EXPECT_LT(many.size(), 400000u);
}

TEST(Gains, OverTheOtherRunsOfTheSweep) {
  TemporaryFolder folder;
  write_file(folder / "sweep/sweep.json", R"({"runs":["ifca","fedavg","local"]})");
  write_ward_run(folder / "sweep/ifca", "ifca");
  EXPECT_EQ(gains_card(read_facts(folder / "sweep/ifca")), "") << "it is the only run yet";
  write_ward_run(folder / "sweep/fedavg", "fedavg");
  write_ward_run(folder / "sweep/other", "fedavg", 7);  // another seed
  write_file(folder / "sweep/fedavg/clients.csv",
             "id,name,role,samples,truth,truth_name,cluster,weight,loss,accuracy,labels\n"
             "0,<script>,train,10,0,all,0,1,0.5,0.5,8 2\n2,x,train,10,0,all,0,1,0.5,0.8,8 2\n");
  const RunFacts facts = read_facts(folder / "sweep/ifca");
  ASSERT_EQ(facts.gains.size(), 4u);
  EXPECT_NEAR(facts.gains.at(0).over_fedavg, 0.4, 1e-12);
  const std::string html = gains_card(facts);
  EXPECT_TRUE(is_balanced(html));
  EXPECT_TRUE(has(html, "Over one model for all (fedavg): 1 gain, 1 lose.")) << html;
  EXPECT_TRUE(has(html, "<title>&lt;script&gt;: +40</title>")) << html;
  EXPECT_FALSE(has(html, "training alone"));
  EXPECT_TRUE(has(members_card(facts), "<td class=\"right\">+40.0</td>"));
}

TEST(Gains, ThatAreAllZeroAreSaidNotDrawn) {
  TemporaryFolder folder;
  write_file(folder / "sweep/sweep.json", R"({"runs":["ifca","local"]})");
  write_ward_run(folder / "sweep/ifca", "ifca");
  write_ward_run(folder / "sweep/local", "local");
  const std::string html = gains_card(read_facts(folder / "sweep/ifca"));
  EXPECT_TRUE(has(html, "Over training alone (local): nobody gains or loses.")) << html;
  EXPECT_FALSE(has(html, "<svg"));
}

}  // namespace
}  // namespace coterie::members_test
