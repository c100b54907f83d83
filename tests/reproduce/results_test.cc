#include "reproduce/results.h"

#include <gtest/gtest.h>

#include <cmath>

namespace coterie::results_test {
namespace {

TEST(Results, CsvHasNumbersInFullAndNothingWhereThereIsNone) {
  std::vector<CellResult> cells = {
      {"a, \"b\"", 94.2, {94, 96}}, {"c", std::nullopt, {1.0 / 3}}, {"d", 2, {NAN}}};
  EXPECT_EQ(results_csv(cells, Scale::quick),
            "cell,paper,ours,std,seeds,scale\n"
            "\"a, \"\"b\"\"\",94.2,95,1.414213562,2,quick\n"
            "c,,0.3333333333,0,1,quick\n"
            "d,2,,,0,quick\n");
}

TEST(Results, TextSetsOursBesideThePaper) {
  Experiment experiment;
  experiment.id = "x-table1";
  experiment.title = "Accuracy";
  experiment.setup = "Small.";
  experiment.scaled_down = "seeds.";
  std::string text =
      results_text(experiment, {{"ifca", 94.2, {94, 96}}, {"new", std::nullopt, {0.5}}}, Marks::star);
  EXPECT_NE(text.find("x-table1: Accuracy\n"), std::string::npos) << text;
  EXPECT_NE(text.find("ifca  94.20  95.00  1.41       +0.80      2\n"), std::string::npos) << text;
  EXPECT_NE(text.find("new       –   0.50     –           –      1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("Scaled down: seeds.\n"), std::string::npos) << text;
}

TEST(Results, TextHasAColumnForTheAuthorsCodeWhereItIsKnown) {
  const std::string text =
      results_text({}, {{"fc", 75.4, {83}, false, 83.2}, {"gt", 84.7, {88}}}, Marks::star);
  EXPECT_NE(text.find("cell  paper  its code   ours  ±  difference  seeds\n"), std::string::npos) << text;
  EXPECT_NE(text.find("fc    75.40     83.20  83.00  –       +7.60      1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("gt    84.70         –  88.00  –       +3.30      1\n"), std::string::npos) << text;
}

TEST(Results, ACellTellsTheWorstOfItsSettings) {
  CellResult cell{"flip", std::nullopt, {}};
  cell.variants = {{"scale = 1", {90, 92}}, {"scale = 2", {60, 64}}, {"scale = 4", {}}, {"scale = 8", {80}}};
  EXPECT_EQ(cell.take_worst(true), 0u);
  EXPECT_EQ(cell.at, "scale = 1");
  EXPECT_EQ(cell.take_worst(false), 1u);
  EXPECT_EQ(cell.values, (std::vector<double>{60, 64}));
  EXPECT_EQ(results_csv({cell}, Scale::quick),
            "cell,paper,ours,std,seeds,scale\nflip,,62,2.828427125,2,quick\n"
            "flip (scale = 1),,91,1.414213562,2,quick\nflip (scale = 2),,62,2.828427125,2,quick\n"
            "flip (scale = 4),,,,0,quick\nflip (scale = 8),,80,0,1,quick\n");
  EXPECT_NE(results_text({}, {cell}, Marks::star).find("2  4: scale = 2\n"), std::string::npos);
  Experiment experiment;
  experiment.across = "aggregate.kind";
  experiment.cells.resize(1);
  experiment.cells[0].name = experiment.cells[0].row = "flip";
  experiment.cells[0].column = "mean";
  EXPECT_NE(results_text(experiment, {cell}, Marks::star).find("flip  62.00 (2)\n"), std::string::npos);
}

// Three attacks by two rules; what attacked cells lose is held against "none, mean". Two cells have no run.
TEST(Results, AcrossSetsValuesOfAKeySideBySideAndTellsWhatEachLoses) {
  Experiment experiment;
  experiment.across = "aggregate.kind";
  std::vector<CellResult> cells;
  auto add = [&](const std::string& row, const std::string& column, std::vector<double> values) {
    PaperCell cell;
    cell.name = row + ", " + column;
    cell.row = row;
    cell.column = column;
    if (row != "none") cell.against = "none, mean";
    cells.push_back({cell.name, std::nullopt, std::move(values)});
    experiment.cells.push_back(std::move(cell));
  };
  add("none", "mean", {90, 92});
  add("none", "median", {});
  add("flip", "mean", {20});
  add("flip", "median", {89.5});
  add("edge", "mean", {89});
  add("edge", "median", {86});
  add("nan", "mean", {90});
  add("nan", "median", {});
  const std::string text = results_text(experiment, cells, Marks::star);
  EXPECT_NE(text.find("       mean  median\n"), std::string::npos) << text;
  EXPECT_NE(text.find("none  91.00       –\n"), std::string::npos) << text;
  EXPECT_NE(text.find("flip  20.00   89.50\n"), std::string::npos) << text;
  EXPECT_NE(text.find("Each loses at most, in the rows above: median 5.0 (edge); mean 71.0 (flip)\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("The best of each row loses at most 2.0 (edge, by mean)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("Without a figure, and not counted: nan, median\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace coterie::results_test
