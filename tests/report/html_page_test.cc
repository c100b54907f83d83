#include "report/html_page.h"

#include <gtest/gtest.h>

#include "coterie/error.h"
#include "report/fake_runs.h"
#include "report/markup.h"

namespace coterie::html_page_test {
namespace {

TEST(HtmlPage, EscapesWhatMarkupWouldTake) {
  EXPECT_EQ(escape_html(R"(<a href="x">'&')"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;");
  std::string page = html_page("<b>", "a & b", "<p>body</p>");
  EXPECT_TRUE(has(page, "<title>&lt;b&gt; - Coterie</title>"));
  EXPECT_TRUE(has(page, "a &amp; b"));
  EXPECT_TRUE(has(page, "<p>body</p>"));
  EXPECT_TRUE(is_balanced(page));
}

TEST(HtmlPage, NeedsNothingFromElsewhereAndKnowsDarkScreens) {
  std::string page = html_page("t", "s", "");
  for (const char* foreign : {"http", "src=", "@import", "url(", "<script", "<link"}) {
    EXPECT_FALSE(has(page, foreign)) << foreign;
  }
  EXPECT_TRUE(has(page, "prefers-color-scheme: dark"));
}

TEST(HtmlPage, TablesKeepAlignmentAndMarks) {
  TextTable table;
  table.column("name");
  table.column("n", Align::right);
  table.row({"<x>", Cell("1", true)});
  std::string html = html_table(table);
  EXPECT_TRUE(is_balanced(html));
  EXPECT_TRUE(has(html, R"(<th>name</th><th class="right">n</th>)"));
  EXPECT_TRUE(has(html, R"(<td>&lt;x&gt;</td><td class="right"><b>1</b></td>)"));
}

TEST(HtmlPage, AnEmptyCardIsNothing) {
  EXPECT_EQ(html_card("Events", ""), "");
  EXPECT_TRUE(has(html_card("Events", "<p>x</p>"), "<h2>Events</h2>\n<p>x</p>"));
}

TEST(HtmlPage, WritesWhereItCan) {
  TemporaryFolder folder;
  write_page(folder / "new/page.html", "text");
  EXPECT_EQ(file_text(folder / "new/page.html"), "text");
  EXPECT_THROW(write_page(folder / "new", "text"), Error);  // a folder
}

TEST(HtmlParts, FoldsTilesAndNotesAreEscaped) {
  EXPECT_EQ(html_fold("<b>3</b> clients", "<p>x</p>", true),
            "<details class=\"fold\" open><summary><b>3</b> clients</summary>\n<p>x</p></details>\n");
  EXPECT_FALSE(has(html_fold("a", "b"), " open"));
  EXPECT_TRUE(has(html_tile("a<b", "1 & 2", "\"q\""), "a&lt;b</div><div class=\"value\">1 &amp; 2</div>"));
  EXPECT_EQ(html_note(""), "");
  EXPECT_EQ(html_note("a < b"), "<p class=\"note\">a &lt; b</p>\n");
  EXPECT_EQ(html_pair(""), "");
}

TEST(HtmlTable, ManyColumnsAreTightAndLongTextsMayWrap) {
  TextTable table;
  for (int c = 0; c < 9; ++c) table.column("c");
  table.row(std::vector<Cell>(9, "x"));
  EXPECT_FALSE(has(html_table(table), "tight"));
  table.column("more");
  table.rows[0].emplace_back(std::string(41, 'n'));
  EXPECT_TRUE(has(html_table(table), "<table class=\"tight\">"));
  EXPECT_EQ(count_of(html_table(table), "<td class=\"long\">"), 1u);
}

}  // namespace
}  // namespace coterie::html_page_test
