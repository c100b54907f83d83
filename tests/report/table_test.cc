#include "report/table.h"

#include <gtest/gtest.h>

#include "coterie/error.h"

namespace coterie::table_test {
namespace {

TextTable sample() {
  TextTable table;
  table.column("name");
  table.column("value", Align::right);
  table.row({"ifca", Cell("95.3", true)});
  table.row({"fedavg", "8.25"});
  return table;
}

TEST(TextTable, AlignsAndMarksTheStrongWithAStar) {
  EXPECT_EQ(sample().text(),
            "name    value\n"
            "──────  ─────\n"
            "ifca     95.3*\n"
            "fedavg   8.25\n");
}

TEST(TextTable, MarksTheStrongInBoldOnATerminal) {
  EXPECT_EQ(sample().text(Marks::bold),
            "\033[1mname\033[0m    \033[1mvalue\033[0m\n"
            "──────  ─────\n"
            "ifca     \033[1m95.3\033[0m\n"
            "fedavg   8.25\n");
}

TEST(TextTable, AStarDoesNotPushLaterColumns) {
  TextTable table = sample();
  table.column("next");
  table.rows[0].emplace_back("a");
  table.rows[1].emplace_back("b");
  EXPECT_EQ(table.text(),
            "name    value   next\n"
            "──────  ─────   ────\n"
            "ifca     95.3*  a\n"
            "fedavg   8.25   b\n");
}

TEST(TextTable, AlignsByWhatATerminalShows) {
  TextTable table;
  table.column("städte");
  table.column("n", Align::right);
  table.row({"Zürich", "1"});
  table.row({"東京", "20"});
  EXPECT_EQ(table.text(),
            "städte   n\n"
            "──────  ──\n"
            "Zürich   1\n"
            "東京    20\n");
}

TEST(TextTable, WithoutHeadersThereAreOnlyRows) {
  TextTable table;
  table.column("");
  table.column("", Align::right);
  table.row({"time", "3 s"});
  table.row({"loss", "0.12"});
  EXPECT_EQ(table.text(), "time   3 s\nloss  0.12\n");
}

TEST(TextTable, RefusesRowsOfAnotherLength) {
  TextTable table = sample();
  table.row({"only one"});
  EXPECT_THROW(table.text(), Bug);
}

TEST(DisplayWidth, CountsColumnsNotBytes) {
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("± 3°"), 4u);
  EXPECT_EQ(display_width("e\xCC\x81"), 1u);  // e and a combining acute
  EXPECT_EQ(display_width("漢字"), 4u);
  EXPECT_EQ(display_width("\xFFz"), 2u);      // not UTF-8
  EXPECT_EQ(display_width("a\xE2\x80"), 3u);  // cut in the middle
}

TEST(Shortened, CutsWithAnEllipsis) {
  EXPECT_EQ(shortened("rotate 90", 9), "rotate 90");
  EXPECT_EQ(shortened("rotate 180", 9), "rotate 1…");
  EXPECT_EQ(shortened("漢字漢字", 6), "漢字…");
  EXPECT_EQ(shortened_name("St. Mary 2", 10), "St. Mary 2");
  EXPECT_EQ(shortened_name("St. Mary's Hospital 2", 13), "St. Mary…al 2");
  EXPECT_EQ(shortened_name("漢字漢字漢字", 9), "漢字漢…字");
}

}  // namespace
}  // namespace coterie::table_test
