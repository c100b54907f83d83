#include "run/sweep.h"

#include <gtest/gtest.h>

namespace coterie::sweep_test {
namespace {

std::vector<PlannedRun> plan(const std::string& text, const std::vector<std::string>& sets = {}) {
  std::vector<Override> overrides;
  for (const std::string& one : sets) overrides.push_back(parse_override(one));
  Problems problems;
  auto runs = plan_runs(parse_toml(text, "exp.toml"), overrides, problems);
  problems.raise_if_any();
  return runs;
}

std::vector<std::string> labels(const std::vector<PlannedRun>& runs) {
  std::vector<std::string> out;
  for (const PlannedRun& run : runs) out.push_back(run.label);
  return out;
}

TEST(Sweep, WithoutOneIsASingleRun) {
  auto runs = plan("seed = 3\n");
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].label, "");
}

TEST(Sweep, IsTheProductOfItsLists) {
  auto runs = plan("[sweep]\n\"algorithm.kind\" = [\"ifca\", \"fedavg\"]\n\"local.rate\" = [0.1, 1.0]\n");
  EXPECT_EQ(labels(runs), (std::vector<std::string>{"ifca,rate=0.1", "ifca,rate=1.0", "fedavg,rate=0.1",
                                                    "fedavg,rate=1.0"}));
  EXPECT_EQ(find_path(runs[1].table, "algorithm.kind")->text(), "\"ifca\"");
  EXPECT_EQ(std::get<double>(find_path(runs[1].table, "local.rate")->data), 1.0);
  EXPECT_EQ(runs[1].table.find("sweep"), nullptr);
}

TEST(Sweep, UnquotedKeysMeanTheSame) {
  EXPECT_EQ(labels(plan("[sweep]\nalgorithm.kind = [\"a\", \"b\"]\n")), (std::vector<std::string>{"a", "b"}));
}

TEST(Sweep, SettingASweptKeyTakesItOut) {
  auto runs = plan("[sweep]\n\"algorithm.kind\" = [\"a\", \"b\"]\nseed = [1, 2]\n", {"algorithm.kind=c"});
  EXPECT_EQ(labels(runs), (std::vector<std::string>{"seed=1", "seed=2"}));
  EXPECT_EQ(std::get<std::string>(find_path(runs[0].table, "algorithm.kind")->data), "c");
}

TEST(Sweep, RefusesMoreRunsThanAnyoneMeans) {
  std::string lists = "[sweep]\n";
  for (char name = 'a'; name <= 'z'; ++name) lists += std::string(1, name) + " = [1, 2, 3, 4]\n";
  Problems problems;
  EXPECT_TRUE(plan_runs(parse_toml(lists, "exp.toml"), {}, problems).empty());
  EXPECT_NE(problems.text().find("exp.toml:8: sweep.g makes this a sweep of 16384 runs or more"),
            std::string::npos)
      << problems.text();
}

TEST(Sweep, RefusesWhatIsNoList) {
  EXPECT_THROW(plan("[sweep]\nseed = 3\n"), BadConfig);
  EXPECT_THROW(plan("[sweep]\nseed = []\n"), BadConfig);
  EXPECT_THROW(plan("sweep = 3\n"), BadConfig);
}

TEST(Override, TakesTomlValuesAndBareWords) {
  EXPECT_EQ(std::get<std::int64_t>(parse_override("a.b=3").value.data), 3);
  EXPECT_EQ(std::get<double>(parse_override("a.b=0.5").value.data), 0.5);
  EXPECT_EQ(std::get<std::string>(parse_override("a.b=ifca").value.data), "ifca");
  EXPECT_EQ(std::get<std::string>(parse_override("a.b=\"two words\"").value.data), "two words");
  EXPECT_EQ(std::get<Array>(parse_override("a.b=[0, 90]").value.data).size(), 2u);
  EXPECT_EQ(std::get<std::string>(parse_override("attack.kind=nan").value.data), "nan");
  EXPECT_EQ(std::get<std::string>(parse_override("a=x = y").value.data), "x = y");
  EXPECT_EQ(parse_override("sweep.\"local.rate\"=[0.1, 0.2]").path, "sweep.local.rate");
  EXPECT_THROW(parse_override("no equals"), BadConfig);
  EXPECT_THROW(parse_override("=3"), BadConfig);
}

TEST(Sweep, LongValuesGiveNamesThatAFolderCanHave) {
  const std::string a(300, 'x'), b = a + "y";
  const auto runs = plan("[sweep]\nname = [\"" + a + "\", \"" + b + "\", \"z\"]\n");
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_LE(runs[0].label.size(), 255u);
  EXPECT_NE(runs[0].label, runs[1].label);
  EXPECT_TRUE(runs[0].label.starts_with("name=xxx"));
  EXPECT_EQ(runs[2].label, "name=z");
}

}  // namespace
}  // namespace coterie::sweep_test
