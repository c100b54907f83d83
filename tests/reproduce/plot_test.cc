#include "reproduce/plot.h"

#include <gtest/gtest.h>

#include <fstream>

#include "data/temp_folder.h"

namespace coterie {
namespace {

PaperCell cell_at(double x, const std::string& kind) {
  PaperCell cell;
  cell.point = {{"data.radius", {x, {}}}, {"algorithm.kind", {kind, {}}}};
  return cell;
}

Experiment grid_experiment() {
  Experiment experiment;
  experiment.id = "x-fig1";
  experiment.title = "A \"title\"";
  experiment.plot = PlotSpec{};
  experiment.plot->x = "data.radius";
  experiment.plot->series = "by {algorithm.kind}";
  experiment.cells = {cell_at(1.0, "a"), cell_at(0.5, "a"), cell_at(1.0, "b")};
  return experiment;
}

TEST(Plot, CellsFormALineForEachValueOfTheOtherKeysByRisingX) {
  Experiment experiment = grid_experiment();
  auto series = series_of_cells(experiment, {{"", {}, {1, 0}}, {"", {}, {0.25}}, {"", {}, {}}});
  ASSERT_EQ(series.size(), 1u);  // "b" has no result
  EXPECT_EQ(series[0].name, "by a");
  ASSERT_EQ(series[0].points.size(), 2u);
  EXPECT_EQ(series[0].points[0].x, 0.5);
  EXPECT_EQ(series[0].points[0].y, 0.25);
  EXPECT_EQ(series[0].points[1].y, 0.5);
}

TEST(Plot, TheScriptHoldsItsDataAndEscapesTexts) {
  std::string script = plot_script(grid_experiment(), {{"a", {{0.5, 0.25, 0}, {1, 0.5, 0.7}}}}, "fig");
  EXPECT_NE(script.find("$line0 << END\n0.5 0.25 0\n1 0.5 0.7\nEND\n"), std::string::npos) << script;
  EXPECT_NE(script.find("set title \"A \\\"title\\\"\""), std::string::npos) << script;
  EXPECT_NE(script.find("set output \"fig.svg\""), std::string::npos) << script;
}

TEST(Plot, CurvesAreMeansOverRuns) {
  TempFolder folder;
  for (int seed : {0, 1}) {
    std::string run = "run" + std::to_string(seed) + "/";
    folder.write(run + "summary.json", "{\"algorithm\": \"ifca\"}");
    folder.write(run + "rounds.jsonl", "{\"round\":1,\"phase\":\"train\",\"ari\":" + std::to_string(seed) +
                                           "}\n{\"round\":2,\"phase\":\"train\",\"ari\":1}\n");
  }
  Experiment experiment = grid_experiment();
  experiment.cells.resize(1);
  experiment.plot->kind = "rounds";
  experiment.plot->figure = "ari";
  experiment.plot->times = 100;
  auto series =
      series_by_round(experiment, {{(folder.path() / "run0").string(), (folder.path() / "run1").string()}});
  ASSERT_EQ(series.size(), 1u);
  ASSERT_EQ(series[0].points.size(), 2u);
  EXPECT_EQ(series[0].points[0].y, 50);
  EXPECT_NEAR(series[0].points[0].deviation, 70.7107, 1e-3);
  EXPECT_EQ(series[0].points[1].y, 100);
}

TEST(Plot, AMethodOfOneRoundIsALevelLine) {
  TempFolder folder;
  folder.write("once/summary.json", "{\"algorithm\": \"odcl\"}");
  folder.write("once/rounds.jsonl", "{\"round\":1,\"phase\":\"train\",\"ari\":0.5}\n");
  folder.write("often/summary.json", "{\"algorithm\": \"ifca\"}");
  folder.write("often/rounds.jsonl",
               "{\"round\":1,\"phase\":\"train\",\"ari\":0}\n{\"round\":9,\"phase\":\"train\",\"ari\":1}\n");
  Experiment experiment = grid_experiment();
  experiment.cells.resize(2);
  experiment.plot->kind = "rounds";
  experiment.plot->figure = "ari";
  const auto series = series_by_round(
      experiment, {{(folder.path() / "once").string()}, {(folder.path() / "often").string()}});
  ASSERT_EQ(series.size(), 2u);
  ASSERT_EQ(series[0].points.size(), 2u);
  EXPECT_EQ(series[0].points[1].x, 9);
  EXPECT_EQ(series[0].points[1].y, series[0].points[0].y);
}

}  // namespace
}  // namespace coterie
