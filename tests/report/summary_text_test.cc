#include "report/summary_text.h"

#include <gtest/gtest.h>

#include "report/fake_runs.h"

namespace coterie::summary_text_test {
namespace {

std::string text_of_run(const TemporaryFolder& folder) { return summary_text(folder / "run"); }

TEST(SummaryText, ShowsFiguresAndWhoWasPutWhere) {
  TemporaryFolder folder;
  write_run(folder / "run");
  EXPECT_EQ(text_of_run(folder),
            "rotated digits: ifca on digits, mlp, 60 rounds, seed 1\n"
            "\n"
            "accuracy             95.31 %  over 6 clients, spread 2.10, worst 80.50\n"
            "worst true cluster   93.00 %\n"
            "test accuracy        90.00 %\n"
            "loss                  0.1823  test 0.25\n"
            "clusters found             2  4 and 2 clients\n"
            "adjusted Rand index    1.000  100.0 % of clients in their true cluster\n"
            "sent up              12.2 MB\n"
            "sent down            48.8 MB\n"
            "time                   3.2 s  50 ms a round, 2 threads, 34.0 MB of memory\n"
            "\n"
            "Clients by found cluster (rows) and true cluster (columns):\n"
            "\n"
            "           rotate 0  rotate 90, \"rig…  accuracy %\n"
            "─────────  ────────  ────────────────  ──────────\n"
            "cluster 1         3                 1       74.17\n"
            "cluster 0         ·                 2       80.00\n"
            "cluster 2         ·                 ·           –\n");
}

TEST(SummaryText, LeavesOutWhatDoesNotApply) {
  TemporaryFolder folder;
  auto summary = classification_summary("fedmd", 3, 0);
  summary["accuracy"] = nullptr;
  summary["worst_cluster"] = nullptr;
  summary["test_accuracy"] = nullptr;
  summary["ari"] = nullptr;
  summary["parameter_error"] = 1.25e-8;
  write_run(folder / "run", summary, "");
  write_file(folder / "run/clients.csv", "id,role,samples,truth,truth_name,cluster,weight,loss,accuracy\n");
  std::string text = text_of_run(folder);
  EXPECT_EQ(text.find("accuracy"), std::string::npos) << text;
  EXPECT_EQ(text.find("Rand"), std::string::npos) << text;
  EXPECT_EQ(text.find("Clients by"), std::string::npos) << text;
  EXPECT_NE(text.find("parameter error  1.25e-08\n"), std::string::npos) << text;
}

TEST(SummaryText, ShowsErrorsInUnitsAndTheMajority) {
  TemporaryFolder folder;
  auto summary = classification_summary("ifca", 1, 0.94);
  summary["metrics"] = {{"majority", metric_json(0.94, 0.9, 1)}, {"auc", metric_json(0.79, 0.5, 2)}};
  write_run(folder / "run", summary, "");
  std::string text = text_of_run(folder);
  EXPECT_NE(text.find("auc                   0.7900  worst 0.5 at client 2\n"), std::string::npos) << text;
  EXPECT_NE(text.find("most frequent class  94.00 %  what always saying it would give\n"), std::string::npos)
      << text;
  summary["accuracy"] = nullptr;
  summary["metrics"] = {{"rmse", metric_json(34.77, 62.87, 3)},
                        {"mae", metric_json(21.25, 30, 3)},
                        {"r2", metric_json(0.8164, 0, 3)}};
  write_run(folder / "run", summary, "");
  text = text_of_run(folder);
  EXPECT_NE(text.find("rmse                   34.77  worst 62.87 at client 3\n"), std::string::npos) << text;
  EXPECT_NE(text.find("mae                    21.25\n"), std::string::npos) << text;
  EXPECT_NE(text.find("r2                    0.8164\n"), std::string::npos) << text;
}

TEST(SummaryText, RegressionShowsTheLossOfEachCluster) {
  TemporaryFolder folder;
  write_run(folder / "run");
  write_file(folder / "run/clients.csv",
             "id,role,samples,truth,truth_name,cluster,weight,loss,accuracy\n"
             "0,train,10,0,a,0,1,0.25,\n"
             "1,train,10,1,b,1,1,0.5,\n");
  std::string text = text_of_run(folder);
  EXPECT_NE(text.find("           a  b  loss\n"), std::string::npos) << text;
  EXPECT_NE(text.find("cluster 0  1  ·  0.25\n"), std::string::npos) << text;
}

TEST(SummaryText, WithoutTruthShowsWhatWasFound) {
  TemporaryFolder folder;
  auto summary = classification_summary("odcl", 1, 0.8);
  for (const char* name : {"ari", "cluster_accuracy", "worst_cluster"}) summary[name] = nullptr;
  summary["rounds"] = 1;
  write_run(folder / "run", summary, "");
  write_file(folder / "run/rounds.jsonl", R"({"round":1,"phase":"train","loss":1.5,"sizes":[2,1]})");
  write_file(folder / "run/clients.csv",
             "id,role,samples,truth,truth_name,cluster,weight,loss,accuracy\n"
             "0,train,10,0,all,0,1,0.25,0.5\n"
             "1,train,10,0,all,1,1,0.5,0.75\n"
             "2,train,10,0,all,0,1,0.5,1\n");
  write_file(folder / "run/events.jsonl",
             "{\"round\":1,\"kind\":\"clusters-found\",\"text\":\"3 groups of 2\"}\n"
             "{\"round\":2,\"kind\":\"clusters-found\",\"text\":\"2 groups of 3\",\"groups\":2}\n");
  std::string text = text_of_run(folder);
  EXPECT_NE(text.find(", 1 round, seed 1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("clusters found        2  2 and 1 client\n"), std::string::npos) << text;
  EXPECT_NE(text.find("Clients by found cluster:\n\n"
                      "           clients  accuracy %\n"
                      "─────────  ───────  ──────────\n"
                      "cluster 0        2       75.00\n"
                      "cluster 1        1       75.00\n"
                      "\nBy the clients' own models, round 2: 2 groups of 3.\n"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace coterie::summary_text_test
