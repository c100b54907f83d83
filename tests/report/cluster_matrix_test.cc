#include "report/cluster_matrix.h"

#include <gtest/gtest.h>

#include <cmath>

#include "report/fake_runs.h"

namespace coterie::cluster_matrix_test {
namespace {

using Counts = std::vector<std::vector<double>>;

ClusterMatrix of_fake_run() {
  TemporaryFolder folder;
  write_run(folder / "run");
  return cluster_matrix(read_run(folder / "run"), read_clients(folder / "run"));
}

// Clients with one sample each in these found and true clusters.
ClusterMatrix of(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& clients) {
  std::vector<ClientRow> rows;
  for (auto [found, truth] : clients) {
    ClientRow row;
    row.role = "train";
    row.samples = 1;
    row.cluster = found;
    row.truth = truth;
    rows.push_back(row);
  }
  return cluster_matrix(RunRecord{}, rows);
}

TEST(ClusterMatrix, PutsMatchingClustersOnTheDiagonal) {
  ClusterMatrix m = of_fake_run();
  ASSERT_TRUE(m.has_truth());
  EXPECT_EQ(m.found_ids, (std::vector<std::uint32_t>{1, 0, 2}));
  EXPECT_EQ(m.counts, (Counts{{3, 1}, {0, 2}, {0, 0}}));
  EXPECT_EQ(m.found[0].name, "cluster 1");
  EXPECT_EQ(m.truth[1].name, "rotate 90, \"right\"");
}

TEST(ClusterMatrix, ScoresGroupsBySamples) {
  ClusterMatrix m = of_fake_run();
  EXPECT_EQ(m.found[0].clients, 4);
  EXPECT_EQ(m.found[0].samples, 60);
  EXPECT_DOUBLE_EQ(m.found[0].accuracy, (9 + 24 + 9.5 + 2) / 60);
  EXPECT_DOUBLE_EQ(m.found[1].loss, 0.3);
  EXPECT_DOUBLE_EQ(m.truth[0].accuracy, (9 + 24 + 9.5) / 50);
  EXPECT_DOUBLE_EQ(m.truth[0].test_accuracy, 0.875);  // its shared test set
  EXPECT_TRUE(std::isnan(m.found[2].accuracy));
}

TEST(ClusterMatrix, HasNoFoundClustersWhenEveryClientHasItsOwnModel) {
  TemporaryFolder folder;
  write_run(folder / "run");
  write_file(folder / "run/rounds.jsonl", R"({"round":1,"phase":"train","loss":1.5,"sizes":null})");
  ClusterMatrix m = cluster_matrix(read_run(folder / "run"), read_clients(folder / "run"));
  EXPECT_FALSE(m.has_truth());
  EXPECT_TRUE(m.found.empty());
  EXPECT_EQ(m.truth.size(), 2u);
}

TEST(ClusterMatrix, OneTrueClusterIsNothingToRecover) { EXPECT_FALSE(of({{0, 0}, {1, 0}}).has_truth()); }

TEST(ClusterMatrix, ShortensToTheLargest) {
  // Sizes found 1, 2, 3 and true 1, 2, 3, on the diagonal.
  ClusterMatrix full = of({{0, 0}, {1, 1}, {1, 1}, {2, 2}, {2, 2}, {2, 2}});
  EXPECT_EQ(full.shortened(3, 3).counts, full.counts);
  ClusterMatrix m = full.shortened(2, 2);
  EXPECT_EQ(m.counts, (Counts{{3, 0}, {0, 3}}));
  EXPECT_EQ(m.found[0].name, "cluster 2");
  EXPECT_EQ(m.found[1].name, "2 others");
  EXPECT_EQ(m.found[1].clients, 3);
  EXPECT_EQ(m.truth[0].name, "true 2");
  EXPECT_EQ(m.found_ids, (std::vector<std::uint32_t>{2}));
}

}  // namespace
}  // namespace coterie::cluster_matrix_test
