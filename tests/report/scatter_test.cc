#include "report/scatter.h"

#include <gtest/gtest.h>

#include "report/markup.h"

namespace coterie::scatter_test {
namespace {

TEST(Scatter, PlacesDotsAndNamesThemWhereThereIsRoom) {
  // The plot reaches from x = 60 to 544 and from y = 376 up to 12.
  const std::string svg = scatter({{0, 0, 0, "<a>", "first"},
                                   {10, 10, 1, "b", "second"},
                                   {10, 10, 1, "left", "third"},
                                   {10, 10, 1, "hidden", ""}},
                                  {"x & y", "z"});
  EXPECT_TRUE(is_balanced(svg));
  EXPECT_TRUE(has(svg, R"(<circle class="spot c0" cx="60.0" cy="376.0")")) << svg;
  EXPECT_TRUE(has(svg, R"(<circle class="spot c1" cx="544.0" cy="12.0")")) << svg;
  EXPECT_TRUE(has(svg, ">&lt;a&gt;</text>"));
  EXPECT_TRUE(has(svg, ">b</text>"));
  EXPECT_TRUE(has(svg, ">left</text>"));
  EXPECT_FALSE(has(svg, ">hidden</text>")) << "it would cover a name on either side";
  EXPECT_TRUE(has(svg, ">x &amp; y</text>"));
}

TEST(Scatter, WithADiagonalBothAxesShowTheSameRange) {
  const std::string svg = scatter({{0.1, 5, 0, "", ""}, {2, 0.5, 1, "", ""}}, {"a", "b", true, true});
  EXPECT_TRUE(has(svg, R"(<line class="zero" x1="60.0" y1="376.0" x2="544.0" y2="12.0"/>)")) << svg;
  EXPECT_EQ(count_of(svg, ">0.1</text>"), 2u);  // logarithmic: decades on both
  EXPECT_EQ(count_of(svg, ">10</text>"), 2u);
}

TEST(Scatter, OneDotIsNoPicture) { EXPECT_EQ(scatter({{1, 1, 0, "", ""}}, {}), ""); }

TEST(SpotLines, StackDotsThatShareAPlace) {
  const std::string svg = spot_lines(
      {{"cluster 0", {{5, 0, 0, "", "p"}, {5, 0, 0, "", "q"}, {-5, 0, 0, "", "r"}}}, {"none", {}}}, "gain");
  EXPECT_TRUE(is_balanced(svg));
  EXPECT_EQ(count_of(svg, "<circle"), 3u);
  const std::size_t first = svg.find("cy=\"", svg.find("<title>p</title>") - 60);
  const std::size_t second = svg.find("cy=\"", svg.find("<title>q</title>") - 60);
  EXPECT_NE(svg.substr(first, 10), svg.substr(second, 10)) << "one above the other";
  EXPECT_TRUE(has(svg, "class=\"zero\""));
  EXPECT_FALSE(has(svg, ">none<"));
  EXPECT_EQ(spot_lines({{"none", {}}}, "gain"), "");
}

}  // namespace
}  // namespace coterie::scatter_test
