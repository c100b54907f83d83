#include "use/new_table.h"

#include <gtest/gtest.h>

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
