#include "report/gains.h"

#include <gtest/gtest.h>

#include <cmath>

#include "report/fake_runs.h"

namespace coterie::gains_test {
namespace {

std::vector<RunRecord> read_all(const TemporaryFolder& folder) {
  std::vector<RunRecord> runs;
  for (const std::string& path : find_runs({folder / ""})) runs.push_back(read_run(path));
  return runs;
}

std::string clients(const std::vector<std::string>& figures, const std::string& header = "accuracy") {
  std::string text = "id,name,role," + header + "\n";
  for (std::size_t i = 0; i < figures.size(); ++i) {
    text += std::to_string(i) + ",owner " + std::to_string(i) + ",train," + figures[i] + "\n";
  }
  return text + "9,,unseen,0.1\n";
}

void write(const TemporaryFolder& folder, const std::string& name, const std::string& algorithm,
           std::uint64_t seed, const std::vector<std::string>& accuracies) {
  write_run(folder / name, algorithm, seed);
  write_file(folder / (name + "/clients.csv"), clients(accuracies));
}

Gains gains(const std::vector<RunRecord>& runs) { return gains_of(runs, group_runs(runs)); }

// Gains 0.1, 0.3, -0.1 and 0: mean 0.075, deviation sqrt(0.0875 / 3).
TEST(Gains, ByClientWithTheStandardErrorOverThem) {
  TemporaryFolder folder;
  write(folder, "a", "ifca", 1, {"0.9", "0.9", "0.5", "0.7"});
  write(folder, "b", "fedavg", 1, {"0.8", "0.6", "0.6", "0.7"});
  write(folder, "c", "local", 1, {"0.9", "0.9", "0.9", ""});
  const Gains all = gains(read_all(folder));
  EXPECT_EQ(all.figure, "accuracy");
  ASSERT_EQ(all.groups.size(), 3u);
  const Gain& gain = *all.groups[0].over_fedavg;
  EXPECT_NEAR(gain.mean, 0.075, 1e-12);
  EXPECT_NEAR(gain.error, std::sqrt(0.0875 / 3 / 4), 1e-12);
  EXPECT_EQ(gain.clients, 4u);
  EXPECT_EQ(gain.better, 2u);
  EXPECT_EQ(gain.worse, 1u);
  EXPECT_EQ(all.groups[0].over_local->clients, 3u) << "only those that both have";
  EXPECT_FALSE(all.groups[1].over_fedavg) << "not over itself";
  EXPECT_TRUE(all.groups[1].over_local);
  EXPECT_EQ(all.remark(), "No method is better for these clients than training alone (local).");
  const std::string table = all.table(group_runs(read_all(folder))).text();
  EXPECT_NE(table.find("ifca        +7.50 ± 8.54       2      1"), std::string::npos) << table;
  EXPECT_EQ(all.csv(read_all(folder)).find("folder,seed,algorithm,id,name,accuracy,over_fedavg,over_local\n"),
            0u);
}

TEST(Gains, OnlyOverRunsOnTheSameDataWithTheSameSeed) {
  TemporaryFolder folder;
  write(folder, "a", "ifca", 1, {"0.9"});
  write(folder, "b", "fedavg", 2, {"0.8"});
  EXPECT_FALSE(gains(read_all(folder)).any());
  write(folder, "b", "fedavg", 1, {"0.8"});
  EXPECT_TRUE(gains(read_all(folder)).any());
  std::string other = config_text("fedavg", 1);
  other.replace(other.find("90]"), 3, "180]");
  write_file(folder / "b/config.toml", other);
  EXPECT_FALSE(gains(read_all(folder)).any()) << "other data";
}

TEST(Gains, OverTheRunWhoseConfigIsOtherwiseTheSame) {
  TemporaryFolder folder;
  write(folder, "a", "ifca", 1, {"0.9"});
  write(folder, "b", "fedavg", 1, {"0.8"});
  write(folder, "c", "fedavg", 1, {"0.2"});
  write_file(folder / "c/config.toml", config_text("fedavg", 1, "0.5"));
  EXPECT_NEAR(gains(read_all(folder)).groups[0].over_fedavg->mean, 0.1, 1e-12);
  write_file(folder / "b/config.toml", config_text("fedavg", 1, "0.7"));
  EXPECT_FALSE(gains(read_all(folder)).groups[0].over_fedavg) << "two that differ: which?";
}

TEST(Gains, SeedsAreAveragedAtEachClientFirst) {
  TemporaryFolder folder;
  for (const std::uint64_t seed : {1, 2}) {
    write(folder, "a" + std::to_string(seed), "ifca", seed, {seed == 1 ? "0.9" : "0.7", "0.8"});
    write(folder, "b" + std::to_string(seed), "fedavg", seed, {"0.6", "0.6"});
  }
  const Gain gain = *gains(read_all(folder)).groups[0].over_fedavg;
  EXPECT_EQ(gain.clients, 2u);
  EXPECT_NEAR(gain.mean, 0.2, 1e-12);
  EXPECT_NEAR(gain.error, 0, 1e-12);
}

TEST(Gains, OfARegressionALowerErrorIsBetter) {
  TemporaryFolder folder;
  for (const std::string algorithm : {"ifca", "local"}) {
    auto summary = classification_summary(algorithm, 1, 0);
    summary["accuracy"] = nullptr;
    summary["metrics"] = {{"rmse", metric_json(3, 4, 0)}};
    write_run(folder / algorithm, summary, config_text(algorithm, 1));
    write_file(folder / (algorithm + "/clients.csv"), clients({algorithm == "ifca" ? "3" : "5"}, "rmse"));
  }
  const Gains all = gains(read_all(folder));
  EXPECT_EQ(all.figure, "rmse");
  EXPECT_DOUBLE_EQ(all.groups[0].over_local->mean, 2);
  EXPECT_EQ(all.remark(), "");
}

}  // namespace
}  // namespace coterie::gains_test
