#include "reproduce/experiment.h"

#include <gtest/gtest.h>

#include "library/library.h"
#include "reproduce/small_papers.h"

namespace coterie::experiment_test {
namespace {

Experiment read(const std::string& text, Scale scale, Problems& problems,
                std::optional<std::int64_t> seeds = std::nullopt) {
  TempFolder folder;
  write_papers(folder, "one", text);
  Papers papers = Papers::in_folder((folder.path() / "papers").string());
  return read_experiment(papers, "one", scale, seeds, problems);
}

constexpr const char* kGrid = R"(title = "t"
config = "../small.toml"
seeds = 3
first_seed = 7
[set]
clients.count = 10
[grid]
"data.noise" = [0.5, 1]
"local.rate" = [0.1, 0.2]
[[cell]]
name = "noise {data.noise}, rate {local.rate}"
paper = 1.5
set = { "rounds.count" = 20 }
quick = { "rounds.count" = 2 }
[quick]
says = "less"
seeds = 1
[quick.grid]
"local.rate" = [0.3]
[quick.set]
clients.count = 4
)";

std::string value_of(const PaperCell& cell, const char* path) { return find_path(cell.config, path)->text(); }

TEST(Experiment, AGridMakesACellForEachPointWithItsConfig) {
  Problems problems;
  Experiment e = read(kGrid, Scale::paper, problems);
  ASSERT_TRUE(problems.empty()) << problems.text();
  ASSERT_EQ(e.cells.size(), 4u);
  EXPECT_EQ(e.cells[1].name, "noise 0.5, rate 0.2");
  EXPECT_EQ(e.cells[2].name, "noise 1, rate 0.1");
  EXPECT_EQ(e.cells[1].run, "noise-0.5-rate-0.2");
  EXPECT_EQ(value_of(e.cells[1], "local.rate"), "0.2");
  EXPECT_EQ(value_of(e.cells[1], "clients.count"), "10");
  EXPECT_EQ(value_of(e.cells[1], "rounds.count"), "20");
  EXPECT_EQ(e.seeds, (std::vector<std::int64_t>{7, 8, 9}));
  EXPECT_EQ(e.scaled_down, "");
  EXPECT_EQ(e.runs_of, "one");
}

TEST(Experiment, ACellCanStandForTheWorstOfSeveralSettings) {
  Problems problems;
  const std::string cells = "title = \"t\"\nconfig = \"../small.toml\"\n[[cell]]\nname = \"a\"\n";
  const Experiment e = read(cells + "highest_of = { \"data.noise\" = [0.5, 1], \"local.rate\" = [0.1] }\n",
                            Scale::paper, problems);
  ASSERT_TRUE(problems.empty()) << problems.text();
  ASSERT_EQ(e.cells.size(), 1u);
  EXPECT_TRUE(e.cells[0].highest);
  ASSERT_EQ(e.cells[0].variants.size(), 2u);
  EXPECT_EQ(e.cells[0].variants[1].at, "noise = 1, rate = 0.1");
  EXPECT_EQ(e.cells[0].variants[1].run, "a-noise-1-rate-0.1");
  EXPECT_EQ(find_path(e.cells[0].variants[1].config, "data.noise")->text(), "1");
  read(cells + "lowest_of = { \"data.nose\" = [0.5] }\n", Scale::paper, problems);
  EXPECT_NE(problems.text().find("nose"), std::string::npos) << problems.text();
}

TEST(Experiment, AcrossTakesItsKeyOutOfTheNamesOfRows) {
  Problems problems;
  const Experiment e = read("across = \"local.rate\"\n" + std::string(kGrid), Scale::paper, problems);
  ASSERT_TRUE(problems.empty()) << problems.text();
  EXPECT_EQ(e.cells[1].row, "noise 0.5, rate ");
  EXPECT_EQ(e.cells[1].column, "0.2");
  std::string comma = kGrid;
  comma.replace(comma.find("rate {"), 5, "");
  EXPECT_EQ(read("across = \"local.rate\"\n" + comma, Scale::paper, problems).cells[1].row, "noise 0.5");
}

TEST(Experiment, ThePapersNumberCanGrowWithTheConfigsValues) {
  Problems problems;
  std::string text = kGrid;
  text.replace(text.find("paper = 1.5"), 11,
               "paper = 1.5\npaper_times = { \"data.noise\" = 2, \"clients.count\" = 0.1 }");
  const Experiment e = read(text, Scale::paper, problems);
  ASSERT_TRUE(problems.empty()) << problems.text();
  EXPECT_EQ(e.cells[0].paper, 1.5 + 2 * 0.5 + 0.1 * 10);
  EXPECT_EQ(e.cells[2].paper, 1.5 + 2 * 1 + 0.1 * 10);
}

TEST(Experiment, QuickReplacesListsAndValuesAndSeeds) {
  Problems problems;
  Experiment e = read(kGrid, Scale::quick, problems);
  ASSERT_TRUE(problems.empty()) << problems.text();
  ASSERT_EQ(e.cells.size(), 2u);
  EXPECT_EQ(e.cells[0].name, "noise 0.5, rate 0.3");
  EXPECT_EQ(value_of(e.cells[0], "clients.count"), "4");
  EXPECT_EQ(value_of(e.cells[0], "rounds.count"), "2");
  EXPECT_EQ(e.seeds, (std::vector<std::int64_t>{7}));
  EXPECT_EQ(e.scaled_down, "less");
  EXPECT_EQ(read(kGrid, Scale::quick, problems, 2).seeds, (std::vector<std::int64_t>{7, 8}));
}

void expect_problem(const std::string& text, const std::string& wanted) {
  Problems problems;
  read(text, Scale::quick, problems);
  EXPECT_NE(problems.text().find(wanted), std::string::npos) << problems.text();
}

TEST(Experiment, MistakesAreNamedWithTheirLines) {
  const std::string head = "title = \"t\"\nconfig = \"../small.toml\"\n";
  const std::string cell = "[[cell]]\nname = \"a\"\n";
  expect_problem(head + "titel = \"x\"\n" + cell, "experiment.toml:3: titel");
  expect_problem(head + "seeds = 0\n" + cell, "experiment.toml:3: seeds = 0: must be");
  expect_problem(head, "an experiment needs cells: write [[cell]]");
  expect_problem("title = \"t\"\nconfig = \"nowhere.toml\"\n" + cell, "there is no file");
  expect_problem(head + "[grid]\n\"local.rate\" = 0.1\n" + cell,
                 "experiment.toml:4: grid.local.rate = 0.1: must be a list");
  expect_problem(head + "[grid]\n\"local.rate\" = [0.1, 0.2]\n" + cell, "two cells are called \"a\"");
  expect_problem(head + cell + "[quick.grid]\n\"local.rate\" = [1]\n",
                 "experiment.toml:6: quick: grid has no key local.rate");
  expect_problem(
      head + cell + "[plot]\nx = \"local.pace\"\n",
      "experiment.toml:5: plot.x = \"local.pace\": must be a key of [grid], or one that has a number in");
  expect_problem(head + "across = \"local.rate\"\n" + cell,
                 "experiment.toml:3: across = \"local.rate\": must be a key of [grid]");
  const std::string rates = head + "across = \"local.rate\"\n[grid]\n\"local.rate\" = [1]\n";
  expect_problem(rates + cell + "against = \"b\"\n", "against: there is no cell \"b\"");
  expect_problem(head + cell + "against = \"a\"\n", "cell.against = \"a\": needs across");
  expect_problem(head + cell + "paper_times = { \"local.rate\" = 1 }\n", "needs paper");
  expect_problem(head + cell + "paper = 1\npaper_times = { \"data.nose\" = 1 }\n",
                 "cell.paper_times.data.nose: the config gives no number");
  expect_problem(head + "[trial]\n[trial.below_times]\n\"data.nose\" = 1\n" + cell,
                 "trial.below_times.data.nose: the config gives no number");
}

TEST(Experiment, AValueThatTheConfigDoesNotTakeIsAMistakeAtItsOwnLine) {
  const std::string head = "title = \"t\"\nconfig = \"../small.toml\"\n";
  expect_problem(head + "[[cell]]\nname = \"a\"\nset = { \"local.rate\" = -1 }\n",
                 "experiment.toml:5: local.rate = -1: must be above 0");
  expect_problem(head + "[[cell]]\nname = \"a\"\nset = { \"local.rat\" = 1 }\n",
                 "experiment.toml:5: local.rat");
}

TEST(Trial, ThresholdIsAConstantPlusMultiplesOfTheConfigsValues) {
  Trial trial;
  trial.below = 0.001;
  trial.below_times = {{"data.noise", 0.6}, {"clients.count", 0.5}};
  Table config = parse_toml("[data]\nnoise = 0.2\n[clients]\ncount = 4\n", "x");
  EXPECT_DOUBLE_EQ(trial.threshold(config), 0.001 + 0.12 + 2);
}

TEST(Product, TheLastListIsTheFastest) {
  Axes axes = {{"a", {Value{std::int64_t{1}, {}}, Value{std::int64_t{2}, {}}}},
               {"b", {Value{std::int64_t{3}, {}}, Value{std::int64_t{4}, {}}}}};
  std::vector<Settings> points = product(axes);
  ASSERT_EQ(points.size(), 4u);
  EXPECT_EQ(points[1][0].second.text() + points[1][1].second.text(), "14");
  EXPECT_EQ(product({}).size(), 1u);
}

TEST(Papers, EveryExperimentOfTheProgramIsFreeOfMistakesAtBothScales) {
  Papers papers = Papers::embedded();
  ASSERT_GE(papers.ids().size(), 6u);
  for (const std::string& id : papers.ids()) {
    for (Scale scale : {Scale::quick, Scale::paper}) {
      Problems problems;
      Experiment e = read_experiment(papers, id, scale, std::nullopt, problems);
      EXPECT_TRUE(problems.empty()) << problems.text();
      EXPECT_FALSE(e.setup.empty()) << id;
      EXPECT_FALSE(e.takes.empty()) << id;
      EXPECT_EQ(e.scaled_down.empty(), scale == Scale::paper) << id;
      for (const std::string& name : e.data) EXPECT_NO_THROW(known_set(name)) << id;
    }
  }
}

TEST(Papers, APaperStandsForAllOfItsExperimentsAndSlipsAreNamed) {
  Papers papers = Papers::embedded();
  EXPECT_GE(papers.resolve("ifca").size(), 6u);
  EXPECT_EQ(papers.resolve("ifca-fig4"), std::vector<std::string>{"ifca-fig4"});
  try {
    papers.resolve("ifca-fig5a");
    FAIL();
  } catch (const BadConfig& e) {
    EXPECT_NE(std::string(e.what()).find("did you mean \"ifca-fig"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace coterie::experiment_test
