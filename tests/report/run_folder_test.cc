#include "report/run_folder.h"

#include <gtest/gtest.h>

#include <cmath>

#include "coterie/error.h"
#include "report/fake_runs.h"

namespace coterie::run_folder_test {
namespace {

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(RunFolder, ReadsTheSummary) {
  TemporaryFolder folder;
  write_run(folder / "run");
  RunSummary s = read_run(folder / "run").summary;
  EXPECT_EQ(s.algorithm, "ifca");
  EXPECT_EQ(s.name, "rotated digits");
  EXPECT_EQ(s.dataset, "digits");
  EXPECT_EQ(s.model, "mlp");
  EXPECT_EQ(s.seed, 1u);
  EXPECT_EQ(s.accuracy, 0.9531);
  EXPECT_EQ(s.accuracy_std, 0.021);
  EXPECT_EQ(s.accuracy_min, 0.805);
  EXPECT_EQ(s.bytes_down, 48800000);
  EXPECT_TRUE(std::isnan(s.parameter_error));
}

TEST(RunFolder, AnAbsentOrNullFigureIsNotANumber) {
  TemporaryFolder folder;
  write_file(folder / "run/summary.json", R"({"algorithm":"local","accuracy":null,"ari":null})");
  RunRecord run = read_run(folder / "run");
  EXPECT_TRUE(std::isnan(run.summary.accuracy));
  EXPECT_TRUE(std::isnan(run.summary.ari));
  EXPECT_TRUE(std::isnan(run.summary.seconds));
  EXPECT_TRUE(run.rounds.empty());
  EXPECT_TRUE(read_clients(folder / "run").empty());
  EXPECT_TRUE(read_events(folder / "run").empty());
  EXPECT_EQ(run.title(), "run");
}

TEST(RunFolder, ReadsRounds) {
  TemporaryFolder folder;
  write_run(folder / "run");
  RunRecord run = read_run(folder / "run");
  ASSERT_EQ(run.rounds.size(), 4u);
  EXPECT_EQ(run.rounds[0].phase, "init");
  EXPECT_EQ(run.rounds[3].sizes, (std::vector<double>{2, 4, 0}));
  EXPECT_EQ(run.rounds[3].figure("churn"), 0.1);
  EXPECT_TRUE(std::isnan(run.rounds[1].figure("churn")));
  using Points = std::vector<std::pair<double, double>>;
  EXPECT_EQ(run.curve("accuracy"), (Points{{1, 0.5}, {3, 0.75}}));
  EXPECT_EQ(run.curve("bytes_up"), (Points{{1, 100}, {2, 200}, {3, 300}}));  // not the start's
  EXPECT_TRUE(run.curve("parameter_error").empty());
}

TEST(RunFolder, ReadsClientsWithQuotedNames) {
  TemporaryFolder folder;
  write_run(folder / "run");
  auto clients = read_clients(folder / "run");
  ASSERT_EQ(clients.size(), 8u);
  EXPECT_EQ(clients[3].id, 3u);
  EXPECT_EQ(clients[3].role, "train");
  EXPECT_EQ(clients[3].truth_name, "rotate 90, \"right\"");
  EXPECT_EQ(clients[3].truth, 1u);
  EXPECT_EQ(clients[3].cluster, 0u);
  EXPECT_EQ(clients[3].weight, 0.75);
  EXPECT_EQ(clients[3].accuracy, 0.7);
  EXPECT_EQ(clients[6].role, "test");
}

TEST(RunFolder, EmptyFieldsAreUnknown) {
  TemporaryFolder folder;
  write_run(folder / "run");
  write_file(folder / "run/clients.csv",
             "id,role,samples,truth,truth_name,cluster,weight,loss,accuracy\r\n0,train,5,,,,,0.5,nan\r\n");
  auto clients = read_clients(folder / "run");
  ASSERT_EQ(clients.size(), 1u);
  EXPECT_FALSE(clients[0].truth);
  EXPECT_FALSE(clients[0].cluster);
  EXPECT_TRUE(std::isnan(clients[0].accuracy));
  EXPECT_EQ(clients[0].loss, 0.5);
}

TEST(RunFolder, ReadsEvents) {
  TemporaryFolder folder;
  write_run(folder / "run");
  auto events = read_events(folder / "run");
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].round, 2u);
  EXPECT_EQ(events[0].kind, "rejected");
  EXPECT_EQ(events[0].client, 4u);
  EXPECT_FALSE(events[1].client);
  ASSERT_EQ(events[1].numbers.size(), 1u);
  EXPECT_EQ(events[1].numbers[0].first, "norm");
  EXPECT_EQ(events[1].numbers[0].second, 0.25);
}

TEST(RunFolder, SaysWhatIsWrong) {
  TemporaryFolder folder;
  std::string run = folder / "run";
  EXPECT_EQ(error_of([&] { read_run(run); }), run + ": no such folder");
  std::filesystem::create_directory(run);
  EXPECT_EQ(error_of([&] { read_run(run); }), run + " holds no summary.json: not a finished run");
  write_run(run);
  write_file(run + "/rounds.jsonl", "{\"round\":1}\n{\"round\":\n");
  EXPECT_EQ(error_of([&] { read_run(run); }),
            run + "/rounds.jsonl:2: is not a JSON object; was the file changed or cut?");
  write_file(run + "/clients.csv", "id,loss\n0,low\n");
  EXPECT_EQ(error_of([&] { read_clients(run); }), run + "/clients.csv:2: loss = \"low\" is not a number");
  write_file(run + "/clients.csv", "id,loss\n0\n");
  EXPECT_EQ(error_of([&] { read_clients(run); }), run + "/clients.csv:2: has 1 fields, the header has 2");
}

TEST(FindRuns, TakesRunsAndFoldersOfRuns) {
  TemporaryFolder folder;
  write_run(folder / "sweep/b");
  write_run(folder / "sweep/a");
  write_run(folder / "single");
  write_run(folder / "single/models");  // whatever is inside a run is not looked at
  EXPECT_EQ(find_runs({folder / "single", folder / "sweep"}),
            (std::vector<std::string>{folder / "single", folder / "sweep/a", folder / "sweep/b"}));
  std::filesystem::create_directory(folder / "empty");
  EXPECT_EQ(error_of([&] { find_runs({folder / "empty"}); }),
            (folder / "empty") + " holds no run, nor do its subfolders");
  EXPECT_EQ(error_of([&] { find_runs({folder / "none"}); }), (folder / "none") + ": no such folder");
}

TEST(FindRuns, NamesThoseThatAreNotFinished) {
  TemporaryFolder folder;
  write_run(folder / "sweep/a");
  write_run(folder / "sweep/b");
  std::filesystem::remove(folder / "sweep/b/summary.json");
  std::vector<std::string> unfinished;
  EXPECT_EQ(find_runs({folder / "sweep"}, &unfinished), (std::vector<std::string>{folder / "sweep/a"}));
  EXPECT_EQ(unfinished, (std::vector<std::string>{folder / "sweep/b"}));
  EXPECT_EQ(unfinished_text(unfinished), "1 run not finished: " + (folder / "sweep/b"));
  EXPECT_EQ(unfinished_text({}), "");
  std::filesystem::remove(folder / "sweep/a/summary.json");
  EXPECT_NE(error_of([&] { find_runs({folder / "sweep"}); }).find("2 runs not finished"), std::string::npos);
}

TEST(RunFolder, ASummaryOfNothingIsNoRun) {
  TemporaryFolder folder;
  write_file(folder / "run/summary.json", "{}");
  EXPECT_NE(error_of([&] { read_run(folder / "run"); }).find("names no algorithm"), std::string::npos);
}

TEST(RunFolder, ReadsTheNamesOfClients) {
  TemporaryFolder folder;
  write_run(folder / "run");
  write_file(folder / "run/clients.csv", "id,name,role,cluster\n0,\"St. Mary, North\",train,1\n");
  EXPECT_EQ(read_clients(folder / "run")[0].name, "St. Mary, North");
}

}  // namespace
}  // namespace coterie::run_folder_test
