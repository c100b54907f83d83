#include "report/run_groups.h"

#include <gtest/gtest.h>

#include "coterie/error.h"
#include "report/fake_runs.h"

namespace coterie::run_groups_test {
namespace {

using Words = std::vector<std::string>;
using Runs = std::vector<std::size_t>;

RunRecord run(const std::string& algorithm, std::uint64_t seed, const std::string& config) {
  RunRecord record;
  record.folder = "runs/" + algorithm + "-" + std::to_string(seed);
  record.summary.algorithm = algorithm;
  record.summary.name = "rotated digits";
  record.summary.seed = seed;
  record.config = config;
  return record;
}

TEST(RunGroups, RepeatsWithOtherSeedsAreOneGroup) {
  RunGroups g =
      group_runs({run("ifca", 1, config_text("ifca", 1)), run("fedavg", 1, config_text("fedavg", 1)),
                  run("ifca", 2, config_text("ifca", 2))});
  EXPECT_EQ(g.keys, (Words{"algorithm"}));
  ASSERT_EQ(g.groups.size(), 2u);
  EXPECT_EQ(g.groups[0].runs, (Runs{0, 2}));
  EXPECT_EQ(g.groups[0].label, "ifca");
  EXPECT_EQ(g.groups[1].runs, (Runs{1}));
  EXPECT_EQ(g.groups[1].values, (Words{"fedavg"}));
}

TEST(RunGroups, NamesTheKeysThatDiffer) {
  RunGroups g = group_runs(
      {run("ifca", 1, config_text("ifca", 1, "0.1")), run("ifca", 1, config_text("ifca", 1, "0.01"))});
  EXPECT_EQ(g.keys, (Words{"algorithm", "rate"}));
  ASSERT_EQ(g.groups.size(), 2u);
  EXPECT_EQ(g.groups[1].values, (Words{"ifca", "0.01"}));
  EXPECT_EQ(g.groups[1].label, "rate 0.01");
}

TEST(RunGroups, OptionsOfOneMethodOnlyAreNoDifference) {
  // Each has a table [algorithm.<its name>], which the other has not.
  RunGroups g =
      group_runs({run("ifca", 1, config_text("ifca", 1)), run("oracle", 1, config_text("oracle", 1))});
  EXPECT_EQ(g.keys, (Words{"algorithm"}));
  EXPECT_EQ(g.groups.size(), 2u);
}

TEST(RunGroups, AKeyThatOnlySomeRunsOfAMethodHaveDiffers) {
  RunGroups g = group_runs({run("ifca", 1, "[clusters]\ncount = 4\n"), run("ifca", 1, "")});
  EXPECT_EQ(g.keys, (Words{"algorithm", "count"}));
  EXPECT_EQ(g.groups[0].values, (Words{"ifca", "4"}));
  EXPECT_EQ(g.groups[1].values, (Words{"ifca", ""}));
}

TEST(RunGroups, LooksIntoArraysOfTablesAndKeepsAmbiguousPaths) {
  RunGroups g = group_runs({run("ifca", 1, "[[shift]]\nkind = \"rotate\"\n[model]\nkind = \"mlp\"\n"),
                            run("ifca", 1, "[[shift]]\nkind = \"noise\"\n[model]\nkind = \"softmax\"\n")});
  EXPECT_EQ(g.keys, (Words{"algorithm", "model.kind", "shift.0.kind"}));
  EXPECT_EQ(g.groups[1].values, (Words{"ifca", "softmax", "noise"}));
  EXPECT_EQ(g.groups[1].label, "model.kind softmax, shift.0.kind noise");
}

TEST(RunGroups, ShowsNamesWhenTheyDiffer) {
  auto a = run("ifca", 1, "");
  auto b = run("ifca", 1, "");
  b.summary.name = "other";
  RunGroups g = group_runs({a, b});
  EXPECT_EQ(g.keys, (Words{"name", "algorithm"}));
  ASSERT_EQ(g.groups.size(), 2u);
  EXPECT_EQ(g.groups[1].label, "other");
}

TEST(RunGroups, ManyDifferencesShowTheNameOfTheFolder) {
  RunGroups g = group_runs(
      {run("ifca", 1, "a=1\nb=1\nc=1\nd=1\ne=1\nf=1\n"), run("ifca", 2, "a=2\nb=2\nc=2\nd=2\ne=2\nf=2\n")});
  EXPECT_EQ(g.keys, (Words{"algorithm", "run"}));
  ASSERT_EQ(g.groups.size(), 2u);
  EXPECT_EQ(g.groups[1].label, "ifca-2");
}

TEST(RunGroups, RepeatsAreNamedByWhatTheirFoldersShare) {
  auto at = [](const std::string& folder, std::uint64_t seed, int value) {
    std::string config;
    for (char key : {'a', 'b', 'c', 'd', 'e', 'f'})
      config += std::string(1, key) + "=" + std::to_string(value) + "\n";
    RunRecord record = run("ifca", seed, config);
    record.folder = folder;
    return record;
  };
  RunGroups g = group_runs({at("runs/x/seed=1", 1, 1), at("runs/x/seed=2", 2, 1), at("runs/y/seed=1", 1, 2)});
  ASSERT_EQ(g.groups.size(), 2u);
  EXPECT_EQ(g.groups[0].values, (Words{"ifca", "x"}));
  EXPECT_EQ(g.groups[1].values, (Words{"ifca", "y"}));
  // Side by side with those of another experiment.
  g = group_runs({at("runs/a", 1, 1), at("runs/b", 2, 1), at("runs/d", 3, 1), at("runs/c", 1, 2)});
  EXPECT_EQ(g.groups[0].values, (Words{"ifca", "a and 2 more"}));
}

TEST(RunGroups, ASweepsWordsNameTheGroupsAndAlikeNamesGetTheirFolder) {
  auto at = [](const std::string& folder, std::uint64_t seed, int value) {
    std::string config;
    for (char key : {'a', 'b', 'c', 'd', 'e', 'f'})
      config += std::string(1, key) + "=" + std::to_string(value) + "\n";
    RunRecord record = run("ifca", seed, config);
    record.folder = folder;
    return record;
  };
  RunGroups g = group_runs({at("runs/x-1/seed=1,random", 1, 1), at("runs/x-1/seed=2,random", 2, 1),
                            at("runs/x-1/seed=1,odcl", 1, 2), at("runs/x-1/seed=2,odcl", 2, 2)});
  ASSERT_EQ(g.groups.size(), 2u);
  EXPECT_EQ(g.groups[0].label, "random");
  EXPECT_EQ(g.groups[1].label, "odcl");
  g = group_runs({at("p/random", 1, 1), at("q/random", 1, 2)});
  EXPECT_EQ(g.groups[0].label, "p/random");
  EXPECT_EQ(g.groups[1].label, "q/random");
}

TEST(RunGroups, ABrokenConfigIsAnError) { EXPECT_THROW(group_runs({run("ifca", 1, "a = = 1")}), Error); }

}  // namespace
}  // namespace coterie::run_groups_test
