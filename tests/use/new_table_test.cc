#include "use/new_table.h"

#include <gtest/gtest.h>

#include <cmath>

#include "data/formats/sheet.h"
#include "support/table_run.h"
#include "use/use.h"

namespace coterie::new_table_test {
namespace {

// What a call throws, "" when it does not.
template <class Work>
std::string refused(const Work& work) {
  try {
    work();
  } catch (const BadConfig& e) {
    return e.what();
  }
  return "";
}

class NewTableTest : public testing::Test {
 protected:
  // One run for all tests: reading changes nothing.
  static void SetUpTestSuite() { run_ = new TableRun(TableRun::config("ifca")); }
  static void TearDownTestSuite() { delete run_; }

  static FinishedRun finished() { return FinishedRun(run_->run()); }
  static std::vector<double> row(const NewTable& table, ClientId client, std::size_t i) {
    const auto samples = table.samples(client, Part::test, 1);
    std::vector<double> out(samples->shape.width);
    samples->copy_row(i, std::span(out));
    return out;
  }
  static TableRun* run_;
};
TableRun* NewTableTest::run_ = nullptr;

TEST_F(NewTableTest, ScalesByTheRunAndNotByTheNewRows) {
  const FinishedRun run = finished();
  const TableSchema::Feature& x0 = run.table().features[0];
  ASSERT_EQ(x0.column, "x0");
  const NewTable table(run_->write("who,x0,x1,colour,y\na,100,0,red,yes\n"), run, std::nullopt);
  EXPECT_NEAR(row(table, 0, 0)[0], (100 - x0.mean) / x0.deviation, 1e-4);
  EXPECT_GT(row(table, 0, 0)[0], 20);
}

TEST_F(NewTableTest, FillsWhatIsMissingAsTheRunDid) {
  const FinishedRun run = finished();
  const NewTable table(run_->write("who,x0,x1,colour,y\na,?,0,red,?\n"), run, std::nullopt);
  EXPECT_NEAR(row(table, 0, 0)[0], 0, 1e-6) << "the mean";
  EXPECT_TRUE(table.clients()[0].labelled.empty());
  EXPECT_TRUE(table.warnings().empty());
}

TEST_F(NewTableTest, ValuesThatTheRunDoesNotKnowSetNoFeature) {
  const NewTable table(run_->write("who,x0,x1,colour,y\na,1,0,green,yes\na,1,0,red,perhaps\na,1,0,blue,no\n"),
                       finished(), std::nullopt);
  const std::vector<double> green = row(table, 0, 0), red = row(table, 0, 1);
  EXPECT_EQ(std::vector<double>(green.begin() + 2, green.end()), (std::vector<double>{0, 0}));
  EXPECT_EQ(std::vector<double>(red.begin() + 2, red.end()), (std::vector<double>{0, 1}));
  EXPECT_EQ(table.clients()[0].labelled, (std::vector<std::uint32_t>{0, 2}));
  ASSERT_EQ(table.warnings().size(), 2u);
  EXPECT_NE(table.warnings()[0].find("\"perhaps\""), std::string::npos) << table.warnings()[0];
  EXPECT_NE(table.warnings()[1].find("\"green\""), std::string::npos) << table.warnings()[1];
}

TEST_F(NewTableTest, NamesAllMissingColumnsAndWhatIsNear) {
  const FinishedRun run = finished();
  const std::string data = run_->write("who,X0,color,y\na,1,red,yes\n");
  const std::string text = refused([&] { NewTable(data, run, std::nullopt); });
  EXPECT_NE(text.find("\"x0\""), std::string::npos) << text;
  EXPECT_NE(text.find("\"x1\""), std::string::npos) << text;
  EXPECT_NE(text.find("\"colour\" (there is \"color\")"), std::string::npos) << text;
  const std::string nobody = run_->write("x0,x1,colour\n1,2,red\n");
  EXPECT_NE(refused([&] { NewTable(nobody, run, std::nullopt); }).find("\"who\""), std::string::npos);
}

TEST_F(NewTableTest, RefusesTextWhereTheRunReadsNumbers) {
  const std::string data = run_->write("who,x0,x1,colour\na,1,2,red\na,high,2,red\n");
  const std::string text = refused([&] { NewTable(data, finished(), std::nullopt); });
  EXPECT_NE(text.find("new.csv:3"), std::string::npos) << text;
  EXPECT_NE(text.find("\"high\" is not a number"), std::string::npos) << text;
}

TEST_F(NewTableTest, RefusesFilesWithoutRowsAndRowsWithoutClients) {
  const FinishedRun run = finished();
  EXPECT_NE(refused([&] { NewTable(run_->write("who,x0,x1,colour\n"), run, {}); }).find("no rows"),
            std::string::npos);
  EXPECT_NE(refused([&] { NewTable(run_->write("who,x0,x1,colour\n,1,2,red\n"), run, {}); }).find("client"),
            std::string::npos);
  EXPECT_NE(refused([&] { NewTable(run_->file("none.csv"), run, {}); }).find("no such file"),
            std::string::npos);
}

TEST_F(NewTableTest, AnotherColumnMayNameTheClient) {
  const std::string data = run_->write("site,x0,x1,colour\nb,1,2,red\na,1,2,red\nb,3,2,red\n");
  const NewTable table(data, finished(), "site");
  ASSERT_EQ(table.clients().size(), 2u);
  EXPECT_EQ(table.clients()[0].name, "b");
  EXPECT_EQ(table.clients()[0].rows, (std::vector<std::uint32_t>{0, 2}));
}

TEST_F(NewTableTest, RefusesWhatIsNoTableOfThisRun) {
  const FinishedRun run = finished();
  const auto told = [&](const std::string& text) {
    return refused([&] { NewTable(run_->write(text), run, {}); });
  };
  EXPECT_NE(told("").find("is empty"), std::string::npos) << told("");
  EXPECT_NE(told("\n \n").find("is empty"), std::string::npos);
  const std::string doubled = told("who,x0,x0,x1,colour\na,1,1,2,red\n");
  EXPECT_NE(doubled.find("two columns are called \"x0\""), std::string::npos) << doubled;
  const std::string other = told("who;x0;x1;colour\na;1;2;red\n");
  EXPECT_NE(other.find("separated by \";\""), std::string::npos) << other;
  EXPECT_EQ(other.find("Set data.separator"), std::string::npos) << "nothing can be set here: " << other;
  const std::string ragged = told("who,x0,x1,colour\na,1,2\n");
  EXPECT_NE(ragged.find("new.csv:2"), std::string::npos) << ragged;
  const std::string unnamed = told("who,x0,x1,colour\n?,1,2,red\n");
  EXPECT_NE(unnamed.find("must name its client"), std::string::npos) << unnamed;
  const std::string large = told("who,x0,x1,colour\na,1,1e300,red\n");
  EXPECT_NE(large.find("too large"), std::string::npos) << large;
}

TEST(NewTableReading, IsThatOfTheRun) {
  std::string text = "who;x;y\n";
  for (int i = 0; i < 40; ++i) text += fmt::format("c{};{},5;{}\n", i % 4, i, i % 2 ? "yes" : "no");
  std::string config = TableRun::config("ifca");
  config.insert(config.find("target"), "separator = \";\"\ndecimal = \",\"\nstandardise = \"none\"\n");
  const TableRun run(config, text);
  const NewTable table(run.write("y;x;who\nyes;2,25;a\n"), FinishedRun(run.run()), std::nullopt);
  std::vector<double> row(1);
  table.samples(0, Part::test, 1)->copy_row(0, std::span(row));
  EXPECT_EQ(row[0], 2.25);
  EXPECT_EQ(table.clients()[0].name, "a");
}

// Client c<i> measures x in units of 10^i.
class OwnScales : public testing::Test {
 protected:
  static std::string table() {
    std::string text = "who,x,y\n";
    double unit = 1;
    for (int i = 0; i < 4; ++i, unit *= 10) {
      for (int j = 0; j < 20; ++j) text += fmt::format("c{},{},{}\n", i, unit * j, j < 10 ? "low" : "high");
    }
    return text;
  }
  static std::string config() {
    std::string text = TableRun::config("ifca");
    return text.insert(text.find("target"), "standardise = \"each\"\n");
  }
  static double first(const NewTable& table, ClientId client, std::size_t i) {
    std::vector<double> row(1);
    table.samples(client, Part::test, 1)->copy_row(i, std::span(row));
    return row[0];
  }
  const TableRun run_{config(), table()};
  const FinishedRun finished_{run_.run()};
};

TEST_F(OwnScales, KnownClientsGoByWhatTheRunKept) {
  const NewTable table(run_.write("who,x,y\nc0,9,low\nc3,9000,low\n"), finished_, {});
  EXPECT_LT(std::abs(first(table, 0, 0)), 0.5) << "near the mean of 0 ... 19";
  EXPECT_LT(std::abs(first(table, 1, 0)), 0.5) << "near the mean of 0 ... 19000";
  EXPECT_TRUE(table.warnings().empty());
  const NewTable anew(run_.write("who,x,y\nc0,9,low\nc3,9000,low\n"), finished_, {},
                      NewTable::Meet::all_as_new);
  EXPECT_EQ(first(anew, 1, 0), 0) << "its only row is its mean";
  ASSERT_EQ(anew.warnings().size(), 1u);
  EXPECT_NE(anew.warnings()[0].find("2 of 2 clients are new and scaled by fewer than 5 rows"),
            std::string::npos)
      << anew.warnings()[0];
}

// Rows 2 and 6 have mean 4 and deviation 2; all four have mean 5 and deviation sqrt(11).
TEST_F(OwnScales, NewClientsGoByTheirRowsWithATarget) {
  const NewTable some(run_.write("who,x,y\nn,2,low\nn,6,high\nn,10,\nn,2,\n"), finished_, {});
  EXPECT_NEAR(first(some, 0, 0), -1, 1e-6);
  EXPECT_NEAR(first(some, 0, 2), 3, 1e-6);
  const NewTable none(run_.write("who,x\nn,2\nn,6\nn,10\nn,2\n"), finished_, {});
  EXPECT_NEAR(first(none, 0, 2), 5 / std::sqrt(11.0), 1e-6);
}

TEST_F(OwnScales, TheServerIsToldNothingOfThem) {
  for (const TableSchema::Feature& feature : finished_.table().features) {
    EXPECT_EQ(feature.mean, 0);
    EXPECT_EQ(feature.deviation, 1);
    EXPECT_EQ(feature.fill, 0);
  }
  const std::string schema = read_file(run_.run() + "/schema.json");
  EXPECT_EQ(schema.find("\"mean\""), std::string::npos) << schema;
  const std::string path = run_.run() + "/models/scales.json";
  write_atomically(path, read_file(path) + " ");
  EXPECT_THROW(FinishedRun(run_.run()), Error) << "damage is noticed";
}

// Two rows speak for cluster a, one for the other; with a weight of 9 that one decides, as in training.
TEST(NewTableWeights, CountInSettling) {
  std::string text = "who,x,w,y\n";
  Stream stream(5, {Purpose::test, 0, 0, 0});
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 30; ++j) {
      const double x = stream.normal();
      text += fmt::format("c{},{:.6f},1,{}\n", i, x, (x > 0) == (i % 2 == 0) ? "yes" : "no");
    }
  }
  std::string config = TableRun::config("ifca");
  config.insert(config.find("target"), "weight = \"w\"\n");
  config.insert(config.find("count = 2") + 9, "\ninit = \"restarts\"");
  config.replace(config.find("count = 4"), 9, "count = 20");
  const TableRun run(config, text);
  const auto assigned = [&](const std::string& rows) { return assign_clients({run.run(), run.write(rows)}); };
  const auto number = [](const UseResult& result, const std::string& column) {
    const Sheet sheet(result.table, "assigned", ',');
    return *to_number(sheet.cell(0, sheet.column(column)));
  };
  const double even = number(assigned("who,x,w,y\ne,1,1,yes\n"), "cluster");
  const double odd = number(assigned("who,x,w,y\no,1,1,no\n"), "cluster");
  ASSERT_NE(even, odd) << "the run found the groups";
  EXPECT_EQ(number(assigned("who,x,w,y\nn,1,1,yes\nn,1,1,yes\nn,1,1,no\n"), "cluster"), even);
  const UseResult heavy = assigned("who,x,w,y\nn,1,1,yes\nn,1,1,yes\nn,1,9,no\n");
  EXPECT_EQ(number(heavy, "cluster"), odd);
  EXPECT_GT(number(heavy, "margin"), 0) << "confidence goes by the same weights";
  EXPECT_GT(number(heavy, "confidence"), 0.5);
  EXPECT_EQ(number(heavy, "rows"), 3);

  const UseResult without = assigned("who,x,y\nn,1,yes\nn,1,yes\nn,1,no\n");
  EXPECT_EQ(number(without, "cluster"), even);
  ASSERT_EQ(without.notes.size(), 1u);
  EXPECT_NE(without.notes[0].find("no column \"w\""), std::string::npos) << without.notes[0];
  for (const char* bad : {"-1", "", "much"}) {
    const std::string rows = fmt::format("who,x,w,y\nn,1,{},yes\n", bad);
    EXPECT_NE(refused([&] { assigned(rows); }).find("is no weight"), std::string::npos) << bad;
  }
  EXPECT_EQ(number(assigned("who,x,w,y\nn,1,,\nn,1,1,yes\n"), "cluster"), even)
      << "a row without a target needs no weight";
}

TEST(NewTableOfClasses, NumbersMayBeWrittenOtherwise) {
  std::string text = "who,x,kind,y\n";
  for (int i = 0; i < 40; ++i) text += fmt::format("c{},{},{},{}\n", i % 4, i, i % 3, i % 2);
  const std::string more = "[algorithm.ifca]\n";
  std::string config = TableRun::config("ifca", more);
  config.insert(config.find("target"), "categorical = [\"kind\"]\n");
  const TableRun run(config, text);
  const NewTable table(run.write("who,x,kind,y\na,1,2.0,1.0\n"), FinishedRun(run.run()), std::nullopt);
  EXPECT_TRUE(table.warnings().empty());
  EXPECT_EQ(table.samples(0, Part::train, 1)->targets, (Vec{1}));
}

// y = 1000 x + 5 at every client: what is predicted is in these units.
TEST(NewTableOfNumbers, PredictionsAreInTheTargetsUnits) {
  std::string text = "who,x,y\n";
  for (int i = 0; i < 200; ++i) text += fmt::format("c{},{},{}\n", i % 5, i * 0.01, 10 * i + 5);
  const TableRun run(R"(
seed = 1
precision = "double"
[data]
source = "csv"
file = "table.csv"
client = "who"
target = "y"
task = "regression"
standardise_target = true
[model]
kind = "linear"
intercept = true
[clusters]
count = 1
[local]
solver = "gd"
rate = 0.3
[algorithm]
kind = "fedavg"
[rounds]
count = 200
)",
                     text);
  const std::string data = run.write("who,x\nc1,1\nnew,0.5\n");
  const Sheet predicted(predict_rows({run.run(), data}).table, "predictions", ',');
  const std::size_t column = predicted.column("prediction");
  EXPECT_EQ(predicted.columns().size(), 5u) << "no classes";
  EXPECT_NEAR(*to_number(predicted.cell(0, column)), 1005, 1e-6);
  EXPECT_NEAR(*to_number(predicted.cell(1, column)), 505, 1e-6);
  EXPECT_EQ(predicted.cell(0, predicted.column("how")), "known");
  EXPECT_EQ(predicted.cell(1, predicted.column("how")), "unsettled");
}

}  // namespace
}  // namespace coterie::new_table_test
