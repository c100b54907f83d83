#include "run/portrait.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/text.h"
#include "support/table_run.h"

namespace coterie::portrait_test {
namespace {

Config config_of(const std::string& text) {
  Problems problems;
  Config config = read_config(parse_toml(text, "test"), "test", problems);
  problems.raise_if_any();
  return config;
}

// A session after its rounds, and its portrait.
struct Ended {
  explicit Ended(const std::string& text) : config(config_of("precision = \"double\"\n" + text)) {
    write_atomically(folder.file("table.csv"), TableRun::table("c", TableRun::kClients, TableRun::kRows, 7));
    session = std::make_unique<Session>(config, folder.path(), 1, "");
    session->start();
    for (std::uint32_t t = 1; t <= 4; ++t) session->round(t);
    evaluation = session->evaluate(4, true);
    handover = Handover::of(*session, evaluation);
    before = session->fleet().traffic();
    portrait = Portrait::of(*session, evaluation, handover);
  }
  std::vector<std::vector<std::string>> rows(const std::string& text) const {
    std::vector<std::vector<std::string>> out;
    for (const std::string& line : split(trim(text), '\n')) out.push_back(split(line, ','));
    return out;
  }

  TempFolder folder;
  Config config;
  std::unique_ptr<Session> session;
  Evaluation evaluation;
  Handover handover;
  Traffic before;
  Portrait portrait;
};

// The loss of a client's own cluster on its held-out rows is what the evaluation has.
TEST(Portrait, HasTheLossOfEachModelOnEachClientsHeldOutRows) {
  const Ended ended(TableRun::config("ifca"));
  const auto rows = ended.rows(ended.portrait.losses);
  ASSERT_EQ(rows.size(), static_cast<std::size_t>(TableRun::kClients) + 1);
  EXPECT_EQ(rows[0], (std::vector<std::string>{"id", "name", "samples", "cluster_0", "cluster_1"}));
  for (const ClientScore& score : ended.evaluation.scores) {
    const auto& row = rows[score.client + 1];
    EXPECT_EQ(row[1], "c" + std::to_string(score.client));
    EXPECT_EQ(std::stod(row[2]), score.samples);
    EXPECT_NEAR(std::stod(row[3 + score.cluster]), score.loss, 1e-5 * score.loss);
  }
}

TEST(Portrait, CostsNoBytes) {
  const Ended ended(TableRun::config("ifca"));
  EXPECT_EQ(ended.session->fleet().traffic().eval, ended.before.eval);
  EXPECT_EQ(ended.session->fleet().traffic().up, ended.before.up);
}

TEST(Portrait, MeansAreThoseOfTheTrainingRowsInTheTablesUnits) {
  const Ended ended(TableRun::config("ifca"));
  const auto rows = ended.rows(ended.portrait.means);
  ASSERT_EQ(rows.size(), 5u);  // x0, x1, two colours
  EXPECT_EQ(rows[0][0], "column");
  const TableSchema& table = *ended.session->federation().table();
  std::vector<double> sums(2, 0.0), counts(2, 0.0);
  for (const ClientScore& score : ended.evaluation.scores) {
    const auto samples = ended.session->federation().samples(score.client, Part::train, 0);
    std::vector<double> x(samples->shape.width);
    for (std::size_t i = 0; i < samples->size(); ++i) {
      samples->copy_row(i, std::span<double>(x));
      sums[score.cluster] += table.features[0].mean + table.features[0].deviation * x[0];
      counts[score.cluster] += 1;
    }
  }
  EXPECT_EQ(rows[1][0], "x0");
  EXPECT_NEAR(std::stod(rows[1][2]), table.features[0].mean, 1e-4);       // of all clients
  EXPECT_NEAR(std::stod(rows[1][3]), table.features[0].deviation, 1e-4);  // and their deviation
  for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(std::stod(rows[1][4 + 2 * k]), sums[k] / counts[k], 1e-4);
  EXPECT_EQ(rows[3][0] + rows[3][1], "colourblue");
  EXPECT_NEAR(std::stod(rows[3][2]) + std::stod(rows[4][2]), 1, 1e-5);
}

TEST(Portrait, MeansNeedPermissionScalesThatAllShareAndSeveralClusters) {
  EXPECT_EQ(Ended(TableRun::config("ifca", "[evaluate]\nmeans = false\n")).portrait.means, "");
  EXPECT_EQ(Ended(TableRun::config("fedavg")).portrait.means, "");
  std::string each = TableRun::config("ifca");
  each.replace(each.find("target ="), 0, "standardise = \"each\"\n");
  const Ended ended(each);
  EXPECT_EQ(ended.portrait.means, "");
  EXPECT_NE(ended.portrait.losses, "");
}

TEST(Portrait, ModelsOfClientsMeetAllClients) {
  const Ended ended(TableRun::config("local"));
  const auto rows = ended.rows(ended.portrait.losses);
  ASSERT_EQ(rows.size(), static_cast<std::size_t>(TableRun::kClients) + 1);
  ASSERT_EQ(rows[0].size(), static_cast<std::size_t>(TableRun::kClients) + 3);
  EXPECT_EQ(rows[0][3 + 7], "client_7");
  for (const ClientScore& score : ended.evaluation.scores)
    EXPECT_NEAR(std::stod(rows[score.client + 1][3 + score.client]), score.loss, 1e-5 * score.loss);
}

TEST(Portrait, FilesThatARunNoLongerHasAreRemoved) {
  TempFolder temp;
  RunFolder folder(temp.path());
  Portrait{"a", "b"}.write(folder);
  EXPECT_EQ(read_file(folder.file("losses.csv")), "a");
  Portrait{"c", ""}.write(folder);
  EXPECT_EQ(read_file(folder.file("losses.csv")), "c");
  EXPECT_FALSE(is_file(folder.file("means.csv")));
}

// The summary vouches for both, and --force removes them.
TEST(Portrait, ARunWritesBothFiles) {
  const TableRun run(TableRun::config("ifca"));
  RunFolder folder(run.run());
  const std::string summary = read_file(folder.file("summary.json"));
  for (const char* name : {"losses.csv", "means.csv"}) {
    EXPECT_TRUE(is_file(folder.file(name))) << name;
    EXPECT_NE(summary.find("\"" + std::string(name) + "\""), std::string::npos) << name;
  }
  folder.clear();
  EXPECT_FALSE(is_file(folder.file("losses.csv")));
  EXPECT_FALSE(is_file(folder.file("means.csv")));
}

}  // namespace
}  // namespace coterie::portrait_test
