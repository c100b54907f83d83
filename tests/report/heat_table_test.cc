#include "report/heat_table.h"

#include <gtest/gtest.h>

#include "report/markup.h"

namespace coterie::heat_table_test {
namespace {

HeatTable small_table() {
  HeatTable table;
  table.corner = "a & b";
  table.columns = {{"<x>", 3}, {"y"}};
  table.rows = {{"one", 9}};
  table.cells = {{{"0.9", 0.9, "said \"so\""}, {"-1", -2}}};
  return table;
}

TEST(HeatTable, ColoursBySizeAndSign) {
  const std::string html = html_heat(small_table());
  EXPECT_TRUE(is_balanced(html));
  EXPECT_TRUE(has(html, "<th>a &amp; b</th>"));
  EXPECT_TRUE(has(html, R"(<th scope="col"><i class="key c3"></i>&lt;x&gt;</th>)")) << html;
  EXPECT_TRUE(has(html, R"(<th scope="row"><i class="key c1 again"></i>one</th>)")) << html;
  EXPECT_TRUE(has(html, R"(<td class="full" style="--share:0.900" title="said &quot;so&quot;">0.9</td>)"));
  EXPECT_TRUE(has(html, R"(<td class="minus full" style="--share:1.000">-1</td>)")) << html;
}

TEST(HeatTable, IsNothingWithoutRowsOrColumns) {
  HeatTable table = small_table();
  table.rows.clear();
  EXPECT_EQ(html_heat(table), "");
  EXPECT_EQ(heat_squares(table), "");
}

TEST(HeatSquares, HasASquareForEachCellAndANameForEachRow) {
  const std::string svg = heat_squares(small_table());
  EXPECT_TRUE(is_balanced(svg));
  EXPECT_EQ(count_of(svg, "<rect"), 2u);
  EXPECT_TRUE(has(svg, "<title>said &quot;so&quot;</title>"));
  EXPECT_TRUE(has(svg, ">one</text>"));
}

}  // namespace
}  // namespace coterie::heat_table_test
