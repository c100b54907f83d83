#include "report/client_map.h"

#include <gtest/gtest.h>

#include "report/fake_runs.h"
#include "report/markup.h"

namespace coterie::client_map_test {
namespace {

TEST(ClientMap, TwoClustersShowTheLossUnderEither) {
  TemporaryFolder folder;
  write_ward_run(folder / "run");
  const std::string html = map_card(read_facts(folder / "run"));
  EXPECT_TRUE(is_balanced(html));
  EXPECT_EQ(count_of(html, "<circle class=\"spot"), 4u);
  EXPECT_TRUE(has(html, "loss with the model of cluster 1"));
  EXPECT_TRUE(has(html, "<title>&lt;script&gt;, cluster 0; loss 0.5 (cluster 0), 1 (cluster 1)</title>"))
      << html;
}

TEST(ClientMap, AModelThatNobodyChoseDoesNotCount) {
  TemporaryFolder folder;
  write_ward_run(folder / "run");
  RunFacts facts = read_facts(folder / "run");
  facts.losses.models.push_back(2);
  for (LossTable::Row& row : facts.losses.rows) row.losses.push_back(9);
  EXPECT_TRUE(has(map_card(facts), "loss with the model of cluster 1"));
}

// Clients 0 and 1 do well with each other's models, client 2 with its own alone.
RunFacts own_models() {
  RunFacts facts;
  facts.losses.of_clients = true;
  facts.losses.models = {0, 1, 2};
  facts.losses.rows = {{0, "a", {1, 1.1, 5}}, {1, "b", {1.1, 1, 5}}, {2, "c", {5, 5, 1}}};
  for (const LossTable::Row& row : facts.losses.rows) {
    ClientRow client;
    client.id = row.client;
    client.name = row.name;
    client.role = "train";
    facts.clients.push_back(client);
  }
  return facts;
}

TEST(ClientMap, ModelsOfClientsAreApartByWhatAnExchangeCosts) {
  const std::string html = map_card(own_models());
  EXPECT_TRUE(has(html, "classical scaling")) << html;
  EXPECT_EQ(count_of(html, "<circle class=\"spot c0"), 3u);
}

TEST(Losses, AreColouredByHowNearTheyAreToTheBest) {
  TemporaryFolder folder;
  write_ward_run(folder / "run");
  const std::string html = losses_card(read_facts(folder / "run"));
  EXPECT_TRUE(is_balanced(html));
  EXPECT_TRUE(has(
      html,
      R"(<td class="full" style="--share:1.000" title="&lt;script&gt; with the model of cluster 0: 0.5">0.5</td>)"))
      << html;
  EXPECT_TRUE(has(html, R"(style="--share:0.500" title="two
lines with the model of cluster 0: 0.9">0.9</td>)"))
      << html;
  EXPECT_TRUE(has(losses_card(own_models()), "a with the model of b: 1.1"));
}

TEST(Losses, AreNothingWithoutTheFile) {
  EXPECT_EQ(losses_card({}), "");
  EXPECT_EQ(map_card({}), "");
}

}  // namespace
}  // namespace coterie::client_map_test
