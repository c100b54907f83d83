#include "report/compare.h"

#include <gtest/gtest.h>

#include "report/fake_runs.h"

namespace coterie::compare_test {
namespace {

std::vector<RunRecord> read_all(const TemporaryFolder& folder) {
  std::vector<RunRecord> runs;
  for (const std::string& path : find_runs({folder / ""})) runs.push_back(read_run(path));
  return runs;
}

std::vector<std::string> headers(const TextTable& table) {
  std::vector<std::string> out;
  for (const auto& column : table.columns) out.push_back(column.header);
  return out;
}

// A cell by its header, with a star when it is marked.
std::string cell(const TextTable& table, std::size_t row, const std::string& header) {
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (table.columns[c].header == header)
      return table.rows[row][c].text + (table.rows[row][c].strong ? "*" : "");
  }
  return "no column " + header;
}

// Two seeds of ifca, one of fedavg.
void write_three(const TemporaryFolder& folder) {
  write_run(folder / "a", "ifca", 1, 0.95);
  write_run(folder / "b", "ifca", 2, 0.97);
  auto fedavg = classification_summary("fedavg", 1, 0.8);
  fedavg["accuracy"]["min"] = 0.4;
  fedavg["accuracy"]["std"] = 0.2;
  fedavg["ari"] = 0.0;
  fedavg["bytes_down"] = 12200000;
  fedavg["seconds"] = 1.5;
  write_run(folder / "c", fedavg, config_text("fedavg", 1));
}

TEST(Compare, TakesSeedsTogetherAndMarksTheBest) {
  TemporaryFolder folder;
  write_three(folder);
  TextTable table = compare(read_all(folder)).table;
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(cell(table, 0, "algorithm"), "ifca");
  EXPECT_EQ(cell(table, 0, "runs"), "2");
  EXPECT_EQ(cell(table, 0, "accuracy %"), "96.00 ± 1.41*");  // of 95 and 97: sqrt(2)
  EXPECT_EQ(cell(table, 0, "ARI"), "1.000 ± 0.000*");
  EXPECT_EQ(cell(table, 0, "spread"), "2.10*");
  EXPECT_EQ(cell(table, 0, "worst"), "80.50*");
  EXPECT_EQ(cell(table, 0, "down"), "48.8 MB");
  EXPECT_EQ(cell(table, 1, "algorithm"), "fedavg");
  EXPECT_EQ(cell(table, 1, "runs"), "1");
  EXPECT_EQ(cell(table, 1, "accuracy %"), "80.00");
  EXPECT_EQ(cell(table, 1, "down"), "12.2 MB*");
  EXPECT_EQ(cell(table, 1, "time"), "1.5 s*");
}

TEST(Compare, SaysHowManyRunsAMeanIsOver) {
  TemporaryFolder folder;
  write_three(folder);
  auto diverged = classification_summary("ifca", 3, 0.5);
  diverged["accuracy"]["mean"] = nullptr;
  write_run(folder / "d", diverged, config_text("ifca", 3));
  TextTable table = compare(read_all(folder)).table;
  EXPECT_EQ(cell(table, 0, "runs"), "3");
  EXPECT_EQ(cell(table, 0, "accuracy %"), "96.00 ± 1.41 (2 of 3)") << "and not the best";
}

TEST(Compare, EqualFiguresHaveNoBest) {
  TemporaryFolder folder;
  write_three(folder);
  TextTable table = compare(read_all(folder)).table;
  EXPECT_EQ(cell(table, 0, "up"), "12.2 MB");
  EXPECT_EQ(cell(table, 1, "up"), "12.2 MB");
}

TEST(Compare, WhatLooksEquallyGoodIsMarkedAlike) {
  TemporaryFolder folder;
  write_run(folder / "a", "ifca", 1, 0.950001);
  write_run(folder / "b", "oracle", 1, 0.950002);
  write_run(folder / "c", "fedavg", 1, 0.8);
  TextTable table = compare(read_all(folder)).table;
  EXPECT_EQ(cell(table, 0, "accuracy %"), "95.00*");
  EXPECT_EQ(cell(table, 1, "accuracy %"), "95.00*");
  EXPECT_EQ(cell(table, 2, "accuracy %"), "80.00");
}

TEST(Compare, HasOnlyColumnsThatApply) {
  TemporaryFolder folder;
  write_three(folder);
  EXPECT_EQ(headers(compare(read_all(folder)).table),
            (std::vector<std::string>{"algorithm", "runs", "accuracy %", "spread", "worst", "test %", "K",
                                      "ARI", "up", "down", "time"}));
}

TEST(Compare, RegressionHasLossAndParameterError) {
  TemporaryFolder folder;
  auto summary = classification_summary("fedmd", 1, 0);
  summary["accuracy"] = nullptr;
  summary["test_accuracy"] = nullptr;
  summary["parameter_error"] = 2e-8;
  write_run(folder / "a", summary, config_text("fedmd", 1));
  summary["algorithm"] = "local";
  summary["parameter_error"] = nullptr;
  write_run(folder / "b", summary, config_text("local", 1));
  TextTable table = compare(read_all(folder)).table;
  EXPECT_EQ(headers(table), (std::vector<std::string>{"algorithm", "loss", "test loss", "K", "ARI",
                                                      "parameter error", "up", "down", "time"}));
  EXPECT_EQ(cell(table, 0, "parameter error"), "2e-08");
  EXPECT_EQ(cell(table, 1, "parameter error"), "–");
}

TEST(Compare, RegressionHasErrorsInUnitsWhereThereAreSome) {
  TemporaryFolder folder;
  auto summary = classification_summary("fedavg", 1, 0);
  summary["accuracy"] = nullptr;
  summary["test_accuracy"] = nullptr;
  summary["metrics"] = {{"rmse", metric_json(34.77, 62.87, 3, 40.5)}, {"r2", metric_json(0.8164, -1, 2)}};
  write_run(folder / "a", summary, config_text("fedavg", 1));
  TextTable table = compare(read_all(folder)).table;
  EXPECT_EQ(headers(table), (std::vector<std::string>{"algorithm", "rmse", "worst", "test rmse", "r2", "K",
                                                      "ARI", "up", "down", "time"}));
  EXPECT_EQ(cell(table, 0, "rmse"), "34.77");
  EXPECT_EQ(cell(table, 0, "worst"), "62.87");
  EXPECT_EQ(cell(table, 0, "r2"), "0.816");
}

TEST(Compare, ShowsAucWhereOneClassHasNearlyAllRows) {
  TemporaryFolder folder;
  auto summary = classification_summary("ifca", 1, 0.94);
  summary["metrics"] = {{"majority", metric_json(0.94, 0.9, 1)},
                        {"auc", metric_json(0.79, 0.5, 0)},
                        {"balanced_accuracy", metric_json(0.55, 0.5, 0)}};
  write_run(folder / "a", summary, config_text("ifca", 1));
  Comparison all = compare(read_all(folder));
  EXPECT_EQ(cell(all.table, 0, "auc"), "0.790");
  EXPECT_EQ(cell(all.table, 0, "balanced %"), "55.00");
  ASSERT_EQ(all.notes.size(), 1u);
  EXPECT_EQ(all.notes[0],
            "Always saying the most frequent class has accuracy 94.00 %. No run is more than half a point "
            "above that: go by auc and "
            "balanced accuracy.");
  summary["metrics"]["majority"] = metric_json(0.6, 0.5, 1);
  write_run(folder / "a", summary, config_text("ifca", 1));
  all = compare(read_all(folder));
  EXPECT_EQ(cell(all.table, 0, "auc"), "no column auc");
  EXPECT_TRUE(all.notes.empty());
}

TEST(Compare, ShowsSeedsThatDifferBetweenSingleRuns) {
  TemporaryFolder folder;
  write_run(folder / "a", "ifca", 3);
  write_run(folder / "b", "fedavg", 7);
  TextTable table = compare(read_all(folder)).table;
  EXPECT_EQ(cell(table, 0, "seed"), "3");
  EXPECT_EQ(cell(table, 1, "seed"), "7");
}

TEST(Compare, PrintsATable) {
  TemporaryFolder folder;
  write_run(folder / "a", "ifca", 1, 0.95);
  write_run(folder / "b", "ifca", 1, 0.9, "0.01");
  EXPECT_EQ(compare_table(read_all(folder)),
            "algorithm  rate  accuracy %   spread  worst  test %  K    ARI       up     down   time\n"
            "─────────  ────  ──────────   ──────  ─────  ──────  ─  ─────  ───────  ───────  ─────\n"
            "ifca       0.1        95.00*    2.10  80.50   90.00  2  1.000  12.2 MB  48.8 MB  3.2 s\n"
            "ifca       0.01       90.00     2.10  80.50   90.00  2  1.000  12.2 MB  48.8 MB  3.2 s\n");
}

TEST(Compare, CountsClustersThatHaveClients) {
  TemporaryFolder folder;
  write_three(folder);
  write_file(folder / "b/rounds.jsonl", R"({"round":1,"phase":"train","loss":1,"sizes":[1,2,3]})");
  write_file(folder / "c/rounds.jsonl", R"({"round":1,"phase":"train","loss":1,"sizes":null})");
  TextTable table = compare(read_all(folder)).table;
  EXPECT_EQ(cell(table, 0, "K"), "2.5") << "sizes 2, 4, 0 at the end of one run, three clusters in the other";
  EXPECT_EQ(cell(table, 1, "K"), "–") << "every client has a model of its own";
}

}  // namespace
}  // namespace coterie::compare_test
