#include "reproduce/reproduce.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/text.h"
#include "reproduce/small_papers.h"
#include "run/folder.h"

namespace coterie::reproduce_test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTrials = R"(title = "Successes"
config = "../small.toml"
seeds = 2
[grid]
"data.noise" = [0.1, 0.2]
[trial]
figure = "loss"
below = -1
[trial.below_times]
"data.noise" = FACTOR
[trial.attempts]
seed = [0, 1, 2]
[[cell]]
name = "noise {data.noise}"
[plot]
x = "data.noise"
)";

constexpr const char* kRuns = R"(title = "Losses"
config = "../small.toml"
seeds = 2
[measure]
figure = "loss"
times = 10
[[cell]]
name = "IFCA, six"
run = "ifca"
paper = 0.5
[[cell]]
name = "rounds to a loss"
run = "ifca"
figure = "ari"
reach = -2
[[cell]]
name = "fails"
set = { "clusters.init" = "restarts", "local.rate" = 1e30 }
)";

class ReproduceTest : public testing::Test {
 protected:
  bool run(const std::string& experiment) {
    write_papers(folder_, "one", experiment);
    ReproduceRequest request;
    request.ids = {"one"};
    request.scale = Scale::paper;
    request.out = (folder_.path() / "results").string();
    request.papers = (folder_.path() / "papers").string();
    request.data_folder = folder_.path().string();  // not what this machine may have
    request.threads = 1;
    request.quiet = true;
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    bool good = reproduce(request);
    printed_ = testing::internal::GetCapturedStdout();
    errors_ = testing::internal::GetCapturedStderr();
    return good;
  }
  static std::string with_factor(const std::string& factor) {
    std::string text = kTrials;
    return text.replace(text.find("FACTOR"), 6, factor);
  }
  std::string result(const std::string& name) const {
    return read_file((folder_.path() / "results/one" / name).string());
  }
  std::size_t attempts() const { return split(result("runs/attempts.jsonl"), '\n').size() - 1; }

  TempFolder folder_;
  std::string printed_;
  std::string errors_;
};

TEST_F(ReproduceTest, ATrialIsOverWithItsFirstSuccess) {
  ASSERT_TRUE(run(with_factor("1e6"))) << errors_;
  EXPECT_EQ(attempts(), 4u);  // two cells, two trials each
  EXPECT_EQ(result("results.csv"),
            "cell,paper,ours,std,seeds,scale\nnoise 0.1,,1,0,2,paper\nnoise 0.2,,1,0,2,paper\n");
}

TEST_F(ReproduceTest, ATrialFailsWhenNoAttemptGetsBelow) {
  ASSERT_TRUE(run(with_factor("0"))) << errors_;
  EXPECT_EQ(attempts(), 12u);  // a loss is never below -1
  EXPECT_NE(result("results.csv").find("noise 0.2,,0,0,2,paper"), std::string::npos);
}

TEST_F(ReproduceTest, AttemptsThatAreThereAreNotMadeAgainAndACutLineIs) {
  ASSERT_TRUE(run(with_factor("0")));
  std::string whole = result("runs/attempts.jsonl");
  // Marked, so that a repeated attempt shows; the last line cut off as by a kill.
  std::string marked = whole;
  marked.replace(marked.find("\"name\":\""), 8, "\"name\":\"kept ");
  folder_.write("results/one/runs/attempts.jsonl", marked.substr(0, marked.size() - 20));
  ASSERT_TRUE(run(with_factor("0")));
  EXPECT_EQ(result("runs/attempts.jsonl"), marked);
  // Other figures need other runs.
  std::string changed = with_factor("0");
  ASSERT_TRUE(run(changed.replace(changed.find("[0.1, 0.2]"), 10, "[0.1, 0.3]")));
  EXPECT_EQ(attempts(), 18u);
}

TEST_F(ReproduceTest, AFailingRunDoesNotStopTheOthers) {
  EXPECT_FALSE(run(kRuns));
  EXPECT_NE(errors_.find("error: one: fails, seed 0: every trial"), std::string::npos) << errors_;
  std::vector<std::string> lines = split(result("results.csv"), '\n');
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_TRUE(lines[1].starts_with("\"IFCA, six\",0.5,")) << lines[1];
  EXPECT_TRUE(lines[1].ends_with(",2,paper")) << lines[1];
  EXPECT_EQ(lines[2], "rounds to a loss,,1,0,2,paper");
  EXPECT_EQ(lines[3], "fails,,,,0,paper");
  EXPECT_NE(printed_.find("Scaled down: nothing"), std::string::npos) << printed_;
}

TEST_F(ReproduceTest, RoundsToBeAsLowAsAnotherRun) {
  ASSERT_TRUE(run(R"(title = "Losses"
config = "../small.toml"
seeds = 2
[measure]
figure = "loss"
[[cell]]
name = "one round"
set = { "rounds.count" = 1 }
[[cell]]
name = "rounds to be as low"
low_as = "one round"
[[cell]]
name = "no round is"
set = { "rounds.count" = 1, "local.rate" = 1e-9 }
low_as = "rounds to be as low"
never = 1000
[[cell]]
name = "nor this"
run = "no round is"
set = { "rounds.count" = 1, "local.rate" = 1e-9 }
low_as = "rounds to be as low"
)")) << errors_;
  std::vector<std::string> lines = split(result("results.csv"), '\n');
  EXPECT_EQ(lines[2], "rounds to be as low,,1,0,2,paper") << "the same run so far";
  EXPECT_EQ(lines[3], "no round is,,1000,0,2,paper");
  EXPECT_EQ(lines[4], "nor this,,,,0,paper");
}

TEST_F(ReproduceTest, FinishedRunsAreKeptUnlessTheirConfigChanged) {
  run(kRuns);
  std::string summary = "runs/ifca/seed-0/summary.json";
  std::string first = result("results.csv");
  fs::path file = folder_.path() / "results/one" / summary;
  auto written = fs::last_write_time(file);
  run(kRuns);
  EXPECT_EQ(fs::last_write_time(file), written);
  EXPECT_EQ(result("results.csv"), first);
  std::string changed = kRuns;
  run(changed.replace(changed.find("[measure]"), 9, "[set]\nrounds.count = 3\n[measure]"));
  EXPECT_NE(fs::last_write_time(file), written);
  EXPECT_NE(result("results.csv"), first);
}

// With a step of 0 a model stays where it began, far from the truth.
TEST_F(ReproduceTest, OfSeveralSettingsTheWorstIsTold) {
  ASSERT_TRUE(
      run("title = \"Worst\"\nconfig = \"../small.toml\"\nseeds = 2\n[measure]\nfigure = \"loss\"\n"
          "[[cell]]\nname = \"a\"\nhighest_of = { \"local.rate\" = [0.2, 1e-9, 0.1] }\n"))
      << errors_;
  const std::string csv = result("results.csv");
  EXPECT_EQ(split(csv, '\n').size(), 6u) << csv;
  const std::string a = csv.substr(csv.find("a,,") + 1, 10);
  EXPECT_NE(csv.find("a (rate = 1e-09)" + a), std::string::npos) << csv;
  EXPECT_TRUE(fs::exists(folder_.path() / "results/one/runs/a-rate-0.1/seed-1/summary.json"));
  EXPECT_NE(printed_.find("3: rate = 1e-09"), std::string::npos) << printed_;
}

TEST_F(ReproduceTest, AnUnfinishedRunIsResumed) {
  run(kRuns);
  std::string rounds = result("runs/ifca/seed-1/rounds.jsonl");
  std::string first = result("results.csv");
  // As after a kill in the last round: the checkpoint is there, the summary is not.
  fs::remove(folder_.path() / "results/one/runs/ifca/seed-1/summary.json");
  run(kRuns);
  EXPECT_EQ(result("runs/ifca/seed-1/rounds.jsonl"), rounds);
  EXPECT_EQ(result("results.csv"), first);
}

TEST_F(ReproduceTest, MissingDataSaysHowToGetIt) {
  std::string text = kRuns;
  EXPECT_FALSE(run("data = [\"beijing-air\"]\n" + text));
  EXPECT_NE(errors_.find("coterie data get beijing-air"), std::string::npos) << errors_;
  EXPECT_FALSE(fs::exists(folder_.path() / "results"));
}

}  // namespace
}  // namespace coterie::reproduce_test
