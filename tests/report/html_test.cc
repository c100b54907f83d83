#include "report/html.h"

#include <gtest/gtest.h>

#include "coterie/error.h"
#include "report/fake_runs.h"
#include "report/markup.h"

namespace coterie::html_test {
namespace {

std::string report_of(const TemporaryFolder& folder) {
  std::string path = write_report(folder / "run");
  EXPECT_EQ(path, folder / "run/report.html");
  std::string html = file_text(path);
  EXPECT_TRUE(is_balanced(html));
  return html;
}

TEST(WriteReport, ShowsFiguresClustersCurvesEventsAndConfig) {
  TemporaryFolder folder;
  write_run(folder / "run");
  std::string html = report_of(folder);
  EXPECT_TRUE(has(html, "<h1>rotated digits</h1>"));
  EXPECT_TRUE(has(html, "ifca on digits, mlp, 60 rounds, seed 1"));
  EXPECT_TRUE(has(html, ">95.3 %</div>"));
  EXPECT_TRUE(has(html, ">61.0 MB</div>"));
  EXPECT_TRUE(has(html, "12.2 MB up, 48.8 MB down"));
  EXPECT_TRUE(has(html, "class=\"heat\""));
  EXPECT_EQ(count_of(html, "<i class=\"dot"), 6u);
  for (const char* title : {"Accuracy by round", "Loss by round", "Found against true clusters",
                            "Clients in each found cluster", "Found clusters", "True clusters", "Events"}) {
    EXPECT_TRUE(has(html, std::string("<h2>") + title + "</h2>")) << title;
  }
  EXPECT_TRUE(has(html, "<title>clients&#39; own data, round 3: 75</title>"));
  EXPECT_TRUE(has(html, "<title>adjusted Rand index, round 3: 0.25</title>"));
  EXPECT_TRUE(has(html, "<title>cluster 1, round 3: 4</title>"));
  EXPECT_TRUE(has(html, "left out client 4: &lt;b&gt;10&lt;/b&gt; values are not finite"));
  EXPECT_TRUE(has(html, "cluster 0 was split; norm = 0.25"));
  EXPECT_TRUE(has(html, "[data]\nsource = &quot;digits&quot;"));
}

TEST(WriteReport, ScoresTheTrueClusters) {
  TemporaryFolder folder;
  write_run(folder / "run");
  // rotate 0: (9 + 24 + 9.5) / 50 on 50 samples, and its shared test set.
  EXPECT_TRUE(has(report_of(folder),
                  "<td>rotate 0</td><td class=\"right\">3</td><td class=\"right\">50</td>"
                  "<td class=\"right\">85.00</td>"
                  "<td class=\"right\">0.16</td><td class=\"right\">87.50</td>"));
}

TEST(WriteReport, RegressionHasLossAndParameterError) {
  TemporaryFolder folder;
  auto summary = classification_summary("fedmd", 1, 0);
  summary["accuracy"] = nullptr;
  summary["test_accuracy"] = nullptr;
  summary["parameter_error"] = 2.5e-7;
  write_run(folder / "run", summary, "");
  write_file(
      folder / "run/rounds.jsonl",
      "{\"round\":1,\"phase\":\"train\",\"loss\":1.5,\"parameter_error\":2.5,\"ari\":1,\"sizes\":[3,3]}\n"
      "{\"round\":2,\"phase\":\"train\",\"loss\":1.5,\"parameter_error\":2.5,\"ari\":1,\"sizes\":[3,3]}\n");
  std::string html = report_of(folder);
  EXPECT_FALSE(has(html, "Accuracy by round"));
  EXPECT_TRUE(has(html, "<h2>Loss by round</h2>"));
  EXPECT_TRUE(has(html, "<h2>Parameter error by round</h2>"));
  EXPECT_TRUE(has(html, ">2.5e-07</div>"));
  EXPECT_FALSE(has(html, "<summary>Config</summary>"));
}

TEST(WriteReport, PersonalModelsHaveNoClusters) {
  TemporaryFolder folder;
  write_run(folder / "run", "local");
  write_file(folder / "run/rounds.jsonl",
             R"({"round":1,"phase":"train","loss":1.5,"accuracy":0.9,"sizes":null})");
  std::string html = report_of(folder);
  EXPECT_TRUE(has(html, "Every client has a model of its own"));
  EXPECT_FALSE(has(html, "class=\"heat\""));
  EXPECT_EQ(count_of(html, "<i class=\"dot"), 0u);
}

TEST(WriteReport, ASummaryAloneIsEnough) {
  TemporaryFolder folder;
  write_file(folder / "run/summary.json", R"({"algorithm":"ifca","seed":4})");
  std::string html = report_of(folder);
  EXPECT_TRUE(has(html, "<h1>run</h1>"));
  EXPECT_TRUE(has(html, "ifca, seed 4"));
  EXPECT_FALSE(has(html, "nan"));
  EXPECT_FALSE(has(html, "<svg"));
}

TEST(WriteReport, RefusesAFolderThatIsNoRun) {
  TemporaryFolder folder;
  std::filesystem::create_directory(folder / "run");
  EXPECT_THROW(write_report(folder / "run"), Error);
  EXPECT_FALSE(std::filesystem::exists(folder / "run/report.html"));
}

TEST(WriteComparison, OverlaysTheMeanCurveOfEachExperiment) {
  TemporaryFolder folder;
  write_run(folder / "a", "ifca", 1, 0.95);
  write_run(folder / "b", "ifca", 2, 0.97);
  write_run(folder / "c", "fedavg", 1, 0.8);
  // The second seed is at 0.85 in round 3, where the first is at 0.75, and has a round that the first has
  // not.
  write_file(folder / "b/rounds.jsonl",
             "{\"round\":1,\"phase\":\"train\",\"accuracy\":0.5}\n{\"round\":3,\"phase\":\"train\","
             "\"accuracy\":0.85}\n"
             "{\"round\":4,\"phase\":\"train\",\"accuracy\":0.9}\n");
  write_comparison({folder / "a", folder / "b", folder / "c"}, folder / "compare.html");
  std::string html = file_text(folder / "compare.html");
  EXPECT_TRUE(is_balanced(html));
  EXPECT_TRUE(has(html, "<h1>rotated digits</h1>"));
  EXPECT_TRUE(has(html, "3 runs of 2 experiments"));
  EXPECT_TRUE(has(html, "<b>96.00 ± 1.41</b>"));
  EXPECT_TRUE(has(html, "<title>ifca, round 3: 80 (75 to 85)</title>")) << html;
  EXPECT_TRUE(has(html, "<title>fedavg, round 3: 75</title>"));
  EXPECT_FALSE(has(html, "round 4:"));
  EXPECT_TRUE(has(html, R"(<i class="line c1"></i>fedavg)"));
}

TEST(WriteComparison, LinksToThePagesOfTheRunsAndNamesThoseNotFinished) {
  TemporaryFolder folder;
  write_run(folder / "sweep/ifca,rate=1 2", "ifca", 1, 0.95);
  write_run(folder / "sweep/fedavg", "fedavg", 1, 0.8);
  write_report(folder / "sweep/ifca,rate=1 2");
  write_comparison({folder / "sweep/fedavg", folder / "sweep/ifca,rate=1 2"}, folder / "sweep/compare.html",
                   {"sweep/broken"});
  std::string html = file_text(folder / "sweep/compare.html");
  EXPECT_TRUE(is_balanced(html));
  EXPECT_TRUE(has(html, "<td><a href=\"ifca,rate=1%202/report.html\">ifca</a></td>")) << html;
  EXPECT_FALSE(has(html, "fedavg/report.html")) << "it has no page";
  EXPECT_TRUE(has(html, "1 run not finished: sweep/broken"));
}

TEST(WriteComparison, LinksToThePagesOfRepeatsBelowTheTable) {
  TemporaryFolder folder;
  for (const char* name : {"seed=1", "seed=2"}) {
    write_run(folder / name, "ifca", name[5] - '0');
    write_report(folder / name);
  }
  write_comparison({folder / "seed=1", folder / "seed=2"}, folder / "compare.html");
  std::string html = file_text(folder / "compare.html");
  for (const char* name : {"seed=1", "seed=2"})
    EXPECT_TRUE(has(html, std::string("<a href=\"") + name + "/report.html\">" + name + "</a>")) << html;
}

TEST(WriteReport, OneTrueClusterIsNothingToRecover) {
  TemporaryFolder folder;
  auto summary = classification_summary("fedavg", 1, 0.8);
  for (const char* name : {"ari", "nmi", "cluster_accuracy", "worst_cluster"}) summary[name] = nullptr;
  write_run(folder / "run", summary, "");
  write_file(
      folder / "run/rounds.jsonl",
      R"({"round":1,"phase":"train","accuracy":0.5,"loss":1,"ari":null,"cluster_accuracy":null,"sizes":[2]})");
  write_file(folder / "run/clients.csv",
             "id,name,role,samples,truth,truth_name,cluster,weight,loss,accuracy\n"
             "0,ward 7,train,5,0,all,0,1,0.5,0.9\n1,ward 8,train,5,0,all,0,1,0.5,0.8\n");
  std::string html = report_of(folder);
  for (const char* absent : {"Found against true", "ARI", "true cluster", "class=\"heat\""})
    EXPECT_FALSE(has(html, absent)) << absent;
  EXPECT_TRUE(has(html, "title=\"ward 7 (client 0): cluster 0")) << html;
}

TEST(WriteReport, OneRoundHasNoCurvesAndSaysWhatWasFound) {
  TemporaryFolder folder;
  auto summary = classification_summary("odcl", 1, 0.8);
  summary["rounds"] = 1;
  write_run(folder / "run", summary, "");
  write_file(folder / "run/rounds.jsonl",
             R"({"round":1,"phase":"train","accuracy":0.5,"loss":1,"ari":0,"sizes":[2,1]})");
  write_file(folder / "run/clients.csv",
             "id,name,role,samples,truth,truth_name,cluster,weight,loss,accuracy\n"
             "0,,train,5,0,all,0,1,0.5,0.9\n1,,train,1,0,all,1,1,0.5,0.8\n2,,train,5,0,all,0,1,0.5,0.8\n");
  write_file(folder / "run/events.jsonl", R"({"round":1,"kind":"clusters-found","text":"2 groups < 3"})");
  std::string html = report_of(folder);
  EXPECT_FALSE(has(html, "by round"));
  EXPECT_FALSE(has(html, "<svg"));
  EXPECT_TRUE(has(html, ">Clusters found</div><div class=\"value\">2</div>")) << html;
  EXPECT_TRUE(has(html, ">2 and 1 client</div>")) << html;
  EXPECT_TRUE(has(html, "<p>By the clients&#39; own models, round 1: 2 groups &lt; 3.</p>")) << html;
  EXPECT_TRUE(has(html, ">1 round</div>"));
  EXPECT_TRUE(has(html, ", 1 sample\""));
}

}  // namespace
}  // namespace coterie::html_test
