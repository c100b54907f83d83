#include "reproduce/plot.h"

#include <gtest/gtest.h>

#include <fstream>

#include "data/temp_folder.h"

namespace coterie::plot_test {
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
  experiment.plots.emplace_back();
  experiment.plots[0].x = "data.radius";
  experiment.plots[0].series = "by {algorithm.kind}";
  experiment.cells = {cell_at(1.0, "a"), cell_at(0.5, "a"), cell_at(1.0, "b")};
  return experiment;
}

TEST(Plot, CellsFormALineForEachValueOfTheOtherKeysByRisingX) {
  Experiment experiment = grid_experiment();
  auto series =
      series_of_cells(experiment, experiment.plots[0], {{"", {}, {1, 0}}, {"", {}, {0.25}}, {"", {}, {}}});
  ASSERT_EQ(series.size(), 1u);  // "b" has no result
  EXPECT_EQ(series[0].name, "by a");
  ASSERT_EQ(series[0].points.size(), 2u);
  EXPECT_EQ(series[0].points[0].x, 0.5);
  EXPECT_EQ(series[0].points[0].y, 0.25);
  EXPECT_EQ(series[0].points[1].y, 0.5);
}

TEST(Plot, ThePapersNumbersCanBeALineAndOtherLinesBeLeftOut) {
  Experiment experiment = grid_experiment();
  for (PaperCell& cell : experiment.cells) cell.paper = 7;
  experiment.cells[1].paper = 3;
  experiment.plots[0].paper = "bound";
  experiment.plots[0].only = {"by a"};
  const auto series =
      series_of_cells(experiment, experiment.plots[0], {{"", {}, {1}}, {"", {}, {2}}, {"", {}, {9}}});
  ASSERT_EQ(series.size(), 2u);
  EXPECT_EQ(series[0].name, "by a");
  EXPECT_EQ(series[1].name, "bound");
  ASSERT_EQ(series[1].points.size(), 2u);
  EXPECT_EQ(series[1].points[0].y, 3);
  EXPECT_EQ(series[1].points[1].y, 7);
}

TEST(Plot, AnyNumberOfTheConfigsCanBeTheAxis) {
  Experiment experiment = grid_experiment();
  for (PaperCell& cell : experiment.cells) {
    cell.point.clear();
    cell.line = "all";
  }
  set_path(experiment.cells[0].config, "rounds.count", {std::int64_t{64}, {}});
  set_path(experiment.cells[1].config, "rounds.count", {std::int64_t{16}, {}});
  experiment.cells.resize(2);
  experiment.plots[0].x = "rounds.count";
  experiment.plots[0].series = "{line}";
  const auto series = series_of_cells(experiment, experiment.plots[0], {{"", {}, {1}}, {"", {}, {2}}});
  ASSERT_EQ(series.size(), 1u);
  ASSERT_EQ(series[0].points.size(), 2u);
  EXPECT_EQ(series[0].points[0].x, 16);
  EXPECT_EQ(series[0].points[1].x, 64);
  EXPECT_EQ(series[0].points[1].y, 1);
}

TEST(Plot, TheScriptHoldsItsDataAndEscapesTexts) {
  std::string script =
      plot_script(grid_experiment(), {{{}, {{"a", {{0.5, 0.25, 0}, {1, 0.5, 0.7}}}}}}, "fig");
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
  experiment.plots[0].kind = "rounds";
  experiment.plots[0].figure = "ari";
  experiment.plots[0].times = 100;
  auto series = series_by_round(experiment, experiment.plots[0],
                                {{(folder.path() / "run0").string(), (folder.path() / "run1").string()}});
  ASSERT_EQ(series.size(), 1u);
  ASSERT_EQ(series[0].points.size(), 2u);
  EXPECT_EQ(series[0].points[0].y, 50);
  EXPECT_NEAR(series[0].points[0].deviation, 70.7107, 1e-3);
  EXPECT_EQ(series[0].points[1].y, 100);
}

TEST(Plot, CurvesEndWithTheShortestRun) {
  TempFolder folder;
  folder.write("short/summary.json", "{\"algorithm\": \"ifca\"}");
  folder.write("short/rounds.jsonl",
               "{\"round\":1,\"phase\":\"train\",\"ari\":0}\n{\"round\":2,\"phase\":\"train\",\"ari\":0}\n");
  folder.write("long/summary.json", "{\"algorithm\": \"ifca\"}");
  folder.write("long/rounds.jsonl",
               "{\"round\":2,\"phase\":\"train\",\"ari\":1}\n{\"round\":3,\"phase\":\"train\",\"ari\":1}\n");
  Experiment experiment = grid_experiment();
  experiment.cells.resize(1);
  experiment.plots[0].kind = "rounds";
  experiment.plots[0].figure = "ari";
  const auto series =
      series_by_round(experiment, experiment.plots[0],
                      {{(folder.path() / "short").string(), (folder.path() / "long").string()}});
  ASSERT_EQ(series.size(), 1u);
  ASSERT_EQ(series[0].points.size(), 2u);  // not round 3, where only one run is left
  EXPECT_EQ(series[0].points[1].x, 2);
  EXPECT_EQ(series[0].points[1].y, 0.5);
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
  experiment.plots[0].kind = "rounds";
  experiment.plots[0].figure = "ari";
  const auto series =
      series_by_round(experiment, experiment.plots[0],
                      {{(folder.path() / "once").string()}, {(folder.path() / "often").string()}});
  ASSERT_EQ(series.size(), 2u);
  ASSERT_EQ(series[0].points.size(), 2u);
  EXPECT_EQ(series[0].points[1].x, 9);
  EXPECT_EQ(series[0].points[1].y, series[0].points[0].y);
}

TEST(Plot, PanelsAreDrawnSideBySideWithTheirOwnLines) {
  Panel left{{}, {{"a", {{1, 2, 0}}}}}, right{{}, {{"b", {{3, 4, 0}}}}};
  left.plot.title = "first";
  right.plot.log_y = true;
  const std::string script = plot_script(grid_experiment(), {left, right}, "fig");
  EXPECT_NE(script.find("$line0 << END\n1 2 0\nEND\n$line1 << END\n3 4 0\nEND\n"), std::string::npos)
      << script;
  EXPECT_NE(script.find("set multiplot layout 1,2 title \"A \\\"title\\\"\""), std::string::npos) << script;
  EXPECT_NE(script.find("set title \"first\""), std::string::npos);
  EXPECT_LT(script.find("unset logscale y"), script.find("plot $line0"));
  EXPECT_LT(script.find("plot $line0"), script.find("\nset logscale y"));
  EXPECT_LT(script.find("\nset logscale y"), script.find("plot $line1"));
}

// Rounds of the start come first; the median of 1, 2 and 9 is 2; 1 - 0.5 x 2 = 0.
TEST(Plot, TheStartsRoundsComeFirstAndMediansHaveNoBand) {
  TempFolder folder;
  std::vector<std::string> runs;
  for (int value : {1, 2, 9}) {
    const std::string run = "run" + std::to_string(value) + "/";
    folder.write(run + "summary.json", "{\"algorithm\": \"ifca\"}");
    folder.write(run + "rounds.jsonl",
                 "{\"round\":1,\"phase\":\"init\",\"ari\":8}\n{\"round\":2,\"phase\":\"init\"}\n"
                 "{\"round\":1,\"phase\":\"train\",\"ari\":" +
                     std::to_string(value) + "}\n");
    runs.push_back((folder.path() / run).string());
  }
  Experiment experiment = grid_experiment();
  experiment.cells.resize(1);
  PlotSpec& plot = experiment.plots[0];
  plot.kind = "rounds";
  plot.figure = "ari";
  plot.start = true;
  plot.median = true;
  plot.times = -0.5;
  plot.plus = 1;
  const auto series = series_by_round(experiment, plot, {runs});
  ASSERT_EQ(series.size(), 1u);
  ASSERT_EQ(series[0].points.size(), 2u);
  EXPECT_EQ(series[0].points[0].x, 1);
  EXPECT_EQ(series[0].points[0].y, -3);
  EXPECT_EQ(series[0].points[1].x, 3) << "after the two rounds of the start";
  EXPECT_EQ(series[0].points[1].y, 0);
  EXPECT_EQ(series[0].points[1].deviation, 0);
}

TEST(Plot, TellsFromWhereOnASeriesHasSettled) {
  Panel panel;
  panel.series = {{"a", {{1, 11, 0}, {2, 1.4, 0}, {3, 1.8, 0}, {5, 1.5, 0}, {8, 1, 0}}},
                  {"flat", {{1, 7, 0}, {2, 7, 0}}}};
  const std::string text = settled_text(panel, 0.05);
  EXPECT_NE(text.find("a: 11 at 1, 1 at 8; 95 % of the way are done at 5\n"), std::string::npos) << text;
  EXPECT_NE(text.find("flat: 7 at 1, 7 at 2; 95 % of the way are done at 1\n"), std::string::npos) << text;
}

TEST(Plot, FitsAStraightLine) {
  Panel panel;
  panel.series = {{"a", {{0, 1, 0}, {1, 3, 0}, {2, 5, 0}}},
                  {"alone", {{1, 7, 0}}},
                  {"square", {{0, 3, 0}, {1, 5, 0}, {2, 11, 0}, {3, 21, 0}}},
                  {"level", {{0, 3, 0}, {1, 3, 0}, {2, 2, 0}}}};
  const std::string text = fits_text(panel);
  EXPECT_NE(text.find("to 3 (least squares); it grows like the power 2\n"), std::string::npos) << text;
  EXPECT_NE(text.find("level: 3 at 0, slope -0.5 from there to 2 (least squares)\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("a: 1 at 0, slope 2 from there to 2 (least squares); it grows like the power 1\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("alone"), std::string::npos) << text;
}

// y = 8 x^-0.5
TEST(Plot, BetweenLogarithmicAxesAFitIsAPower) {
  Panel panel;
  panel.plot.log_x = panel.plot.log_y = true;
  panel.series = {{"a", {{1, 8, 0}, {4, 4, 0}, {16, 2, 0}}}};
  EXPECT_EQ(fits_text(panel), "a: 8 at 1, 2 at 16: the power -0.5 (least squares of logarithms)\n");
}

}  // namespace
}  // namespace coterie::plot_test
