#include "data/formats/sheet.h"

#include <gtest/gtest.h>

#include "data/error_text.h"
#include "data/temp_folder.h"

namespace coterie::sheet_test {
namespace {

std::vector<std::string> row(const Sheet& sheet, std::size_t i) {
  std::vector<std::string> cells;
  for (std::size_t c = 0; c < sheet.columns().size(); ++c) cells.emplace_back(sheet.cell(i, c));
  return cells;
}

using Cells = std::vector<std::string>;

TEST(Sheet, ReadsPlainFields) {
  Sheet sheet("a,b,c\n1,two, 3 \n,,\n", "x.csv", ',');
  EXPECT_EQ(sheet.columns(), (Cells{"a", "b", "c"}));
  ASSERT_EQ(sheet.rows(), 2u);
  EXPECT_EQ(row(sheet, 0), (Cells{"1", "two", "3"}));
  EXPECT_EQ(row(sheet, 1), (Cells{"", "", ""}));
  EXPECT_EQ(sheet.column("c"), 2u);
  EXPECT_EQ(sheet.where(1).line, 3);
}

TEST(Sheet, ReadsQuotedFields) {
  Sheet sheet("\"a\",\"b,\"\"q\"\"\"\r\n\"x\ny\",\"\"\r\n\" kept \" ,\"r\r\ns\"\r\nlast,row", "x.csv", ',');
  EXPECT_EQ(sheet.columns(), (Cells{"a", "b,\"q\""}));
  ASSERT_EQ(sheet.rows(), 3u);
  EXPECT_EQ(row(sheet, 0), (Cells{"x\ny", ""}));
  EXPECT_EQ(row(sheet, 1), (Cells{" kept ", "r\r\ns"}));
  EXPECT_EQ(row(sheet, 2), (Cells{"last", "row"}));
  EXPECT_EQ(sheet.where(0).line, 2);
  EXPECT_EQ(sheet.where(1).line, 4);  // line ends inside quotes count
  EXPECT_EQ(sheet.where(2).line, 6);
}

TEST(Sheet, CellsSurviveAMove) {
  Sheet sheet("a\nshort\n", "x.csv", ',');
  Sheet moved = std::move(sheet);
  EXPECT_EQ(moved.cell(0, 0), "short");
}

TEST(Sheet, TakesOtherSeparatorsAndLineEndsAndSkipsBlankLines) {
  Sheet tabs(
      "\xEF\xBB\xBF"
      "a\tb\r1\t\r\r  \r\t2\r",
      "x.tsv", '\t');
  EXPECT_EQ(tabs.columns(), (Cells{"a", "b"}));
  ASSERT_EQ(tabs.rows(), 2u);
  EXPECT_EQ(row(tabs, 0), (Cells{"1", ""}));
  EXPECT_EQ(row(tabs, 1), (Cells{"", "2"}));
  EXPECT_EQ(tabs.where(1).line, 5);
  Sheet semicolons("a;b\n1,5;2\n", "x.csv", ';');
  EXPECT_EQ(row(semicolons, 0), (Cells{"1,5", "2"}));
}

TEST(Sheet, SaysInWhichLineTheMistakeIs) {
  auto error = [](const char* text) { return error_text<Error>([&] { Sheet(text, "x.csv", ','); }); };
  EXPECT_EQ(error("a,b\n1,2\n3\n"), "x.csv:3: has 1 fields, but the first line names 2 columns");
  EXPECT_EQ(error("a,b\n\"1\n\",2\n3,4,5\n"), "x.csv:4: has 3 fields, but the first line names 2 columns");
  EXPECT_EQ(error("a,b\n1,2\n3,\"4\n5\n"), "x.csv:3: a quoted field is never closed");
  EXPECT_EQ(error("a,b\n\"1\"x,2\n"), "x.csv:2: a quoted field is followed by \"x\" instead of a separator");
  EXPECT_EQ(error("a,b,a\n1,2,3\n"), "x.csv:1: two columns are called \"a\"");
  EXPECT_NE(error("a,b\n1,2\nh\xF6h,3\n").find("x.csv:3: holds a character that is not UTF-8"),
            std::string::npos);
  EXPECT_NE(error("").find("x.csv: is empty"), std::string::npos);
  EXPECT_NE(error("a,b\n").find("no rows"), std::string::npos);
}

TEST(Sheet, SuggestsTheNearestColumn) {
  Sheet sheet("hospital,age\nx,1\n", "x.csv", ',');
  std::string text = error_text<Error>([&] { sheet.column("hospitol"); });
  EXPECT_NE(text.find("did you mean \"hospital\""), std::string::npos) << text;
}

TEST(Sheet, ReadsGzippedFiles) {
  TempFolder folder;
  Sheet sheet = Sheet::read(folder.write_gzip("a.csv.gz", "a,b\n1,2\n"), ',');
  EXPECT_EQ(row(sheet, 0), (Cells{"1", "2"}));
  EXPECT_EQ(sheet.file(), (folder.path() / "a.csv.gz").string());
}

TEST(ToNumber, TakesWholeFiniteNumbersOnly) {
  EXPECT_EQ(to_number("3"), 3.0);
  EXPECT_EQ(to_number("-.5"), -0.5);
  EXPECT_EQ(to_number("+2.5e3"), 2500.0);
  for (const char* other : {"", "+", "+-1", "--1", "1 ", "1x", "nan", "inf", "1e999", "0x10", "one"}) {
    EXPECT_EQ(to_number(other), std::nullopt) << other;
  }
}

// In time that grows with their number: each column is found at once.
TEST(Sheet, FindsEachOfManyColumns) {
  std::string names, row;
  for (int i = 0; i < 100'000; ++i) {
    names += (i > 0 ? ",c" : "c") + std::to_string(i);
    row += (i > 0 ? "," : "") + std::to_string(i);
  }
  const Sheet sheet(names + "\n" + row + "\n", "x.csv", ',');
  for (std::size_t i = 0; i < 100'000; ++i) {
    ASSERT_EQ(sheet.column("c" + std::to_string(i)), i);
    ASSERT_EQ(sheet.cell(0, i), std::to_string(i));
  }
}

}  // namespace
}  // namespace coterie::sheet_test
