#include "report/cluster_picture.h"

#include <gtest/gtest.h>

#include "report/fake_runs.h"
#include "report/markup.h"

namespace coterie::cluster_picture_test {
namespace {

struct Fake {
  std::vector<ClientRow> clients;
  ClusterMatrix matrix;
};

Fake fake() {
  TemporaryFolder folder;
  write_run(folder / "run");
  Fake out;
  out.clients = read_clients(folder / "run");
  out.matrix = cluster_matrix(read_run(folder / "run"), out.clients);
  return out;
}

TEST(HeatMap, ShowsCountsColouredByShareOfTheTrueCluster) {
  std::string html = heat_map(fake().matrix);
  EXPECT_TRUE(is_balanced(html));
  EXPECT_TRUE(has(html, R"(<th scope="col">rotate 90, &quot;right&quot;</th>)"));
  EXPECT_TRUE(has(
      html,
      R"(<td class="full" style="--share:1.000" title="3 of 3 clients of rotate 0 are in cluster 1">3</td>)"))
      << html;
  EXPECT_TRUE(has(html, R"(<td style="--share:0.333")"));
  EXPECT_TRUE(has(html, R"(<td style="--share:0.667")"));
  EXPECT_EQ(count_of(html, "class=\"none\""), 3u);
  EXPECT_EQ(count_of(html, "<tr>"), 4u);  // header, clusters 1, 0 and the empty 2
}

TEST(HeatMap, NeedsTrueClusters) {
  ClusterMatrix matrix = fake().matrix;
  matrix.truth.resize(1);
  EXPECT_EQ(heat_map(matrix), "");
}

TEST(ClientDots, HasADotForEachTrainingClient) {
  Fake f = fake();
  std::string html = client_dots(f.matrix, f.clients);
  EXPECT_TRUE(is_balanced(html));
  EXPECT_EQ(count_of(html, "<i class=\"dot"), 6u);
  EXPECT_EQ(count_of(html, "<i class=\"dot c1\""), 4u);
  EXPECT_EQ(count_of(html, "<i class=\"dot c0\""), 2u);
  EXPECT_TRUE(has(html, R"(title="client 3: cluster 0 (weight 0.75), accuracy 70.00 %, 10 samples")"))
      << html;
  EXPECT_TRUE(has(html, "rotate 0<small>3</small>"));
}

TEST(ClientDots, ManyClientsShareDots) {
  Fake f = fake();
  ClientRow one = f.clients[0];
  f.clients.assign(3001, one);
  std::string html = client_dots(f.matrix, f.clients);
  EXPECT_EQ(count_of(html, "<i class=\"dot"), 1001u);  // three clients a dot, and one left over
  EXPECT_TRUE(has(html, "A dot stands for 3 clients."));
  EXPECT_TRUE(has(html, "title=\"cluster 1: 3001 clients\""));
}

TEST(ClientDots, NothingWithoutFoundClusters) {
  Fake f = fake();
  EXPECT_EQ(client_dots(ClusterMatrix{}, f.clients), "");
}

}  // namespace
}  // namespace coterie::cluster_picture_test
