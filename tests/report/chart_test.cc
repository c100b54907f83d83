#include "report/chart.h"

#include <gtest/gtest.h>

#include "report/markup.h"

namespace coterie::chart_test {
namespace {

TEST(Ticks, AreRoundNumbersAroundTheData) {
  EXPECT_EQ(ticks(0, 100, 5), (std::vector<double>{0, 20, 40, 60, 80, 100}));
  EXPECT_EQ(ticks(1, 60, 7, 1), (std::vector<double>{0, 10, 20, 30, 40, 50, 60}));
  EXPECT_EQ(ticks(0.3, 0.9, 2), (std::vector<double>{0, 0.5, 1}));
  EXPECT_EQ(ticks(1, 2, 7, 1), (std::vector<double>{1, 2}));  // rounds are whole
}

TEST(LineChart, PlacesPointsOnTheAxes) {
  // The plot reaches from x = 60 to 504 and from y = 236 up to 12.
  std::string svg =
      line_chart({{"own", {{1, 0}, {3, 50}, {5, 100}}}}, {"round", "accuracy %", 0.0, 100.0, false});
  EXPECT_TRUE(is_balanced(svg));
  EXPECT_TRUE(has(svg, R"(<polyline points="60.0,236.0 282.0,124.0 504.0,12.0"/>)")) << svg;
  EXPECT_TRUE(has(svg, "<title>own, round 3: 50</title>"));
  EXPECT_TRUE(has(svg, ">accuracy %</text>"));
  EXPECT_TRUE(has(svg, R"(text-anchor="end">80</text>)"));
  EXPECT_FALSE(has(svg, "legend"));  // one curve needs none
}

TEST(LineChart, LongMarksHaveRoom) {
  const std::string svg = line_chart({{"loss", {{1, 0.003951}, {2, 0.004072}}}}, {});
  EXPECT_TRUE(has(svg, ">0.003975</text>")) << svg;
  EXPECT_TRUE(has(svg, R"(<polyline points="86.0,)")) << svg;
}

TEST(LineChart, AGuideIsNoCurveOfTheLegend) {
  const Curve guide{.name = "", .points = {{0, 0}, {1, 1}}, .band = {}, .guide = true};
  ChartFrame frame;
  frame.x_step = 0.2;
  const std::string html = line_chart({{"all", {{0.1, 0.2}, {0.9, 0.8}}}, guide}, frame);
  EXPECT_TRUE(is_balanced(html));
  EXPECT_TRUE(has(html, R"(<polyline class="guide")"));
  EXPECT_TRUE(has(html, ">0.4</text>"));
  EXPECT_FALSE(has(html, "legend"));
}

TEST(LineChart, SaysWhichCurveIsHiddenByAnEqualOne) {
  std::string html = line_chart({{"ifca", {{1, 0.5}, {2, 1}}}, {"oracle", {{1, 0.5}, {2, 1}}}}, {});
  EXPECT_TRUE(has(html, "oracle (covers ifca)"));
}

TEST(LineChart, SeveralCurvesHaveALegendAndKeepTheColourOfTheirPlace) {
  std::string html = line_chart({{"a<b", {{1, 1}, {2, 1}}}, {"none", {}}, {"c", {{1, 2}, {2, 3}}}}, {});
  EXPECT_TRUE(is_balanced(html));
  EXPECT_TRUE(has(html, R"(<i class="line c0"></i>a&lt;b)"));
  EXPECT_TRUE(has(html, R"(<i class="line c2"></i>c)"));
  EXPECT_FALSE(has(html, "none"));
  EXPECT_TRUE(has(html, R"(<g class="curve c2">)"));
  EXPECT_EQ(count_of(html, "<polyline"), 2u);
}

TEST(LineChart, IsLogarithmicWhenItMayAndValuesSpanDecades) {
  std::vector<Curve> curves = {{"error", {{1, 1}, {2, 1e-4}, {3, 1e-8}}}};
  ChartFrame frame{"round", "error", std::nullopt, std::nullopt, true};
  std::string svg = line_chart(curves, frame);
  EXPECT_TRUE(has(svg, R"(<polyline points="60.0,12.0 282.0,124.0 504.0,236.0"/>)")) << svg;
  EXPECT_TRUE(has(svg, ">1e-8</text>"));
  curves[0].points.push_back({4, 0});
  EXPECT_FALSE(has(line_chart(curves, frame), "282.0,124.0"));  // zero has no logarithm
}

TEST(LineChart, ThinsLongCurvesButKeepsTheEnds) {
  Curve curve{"long", {}};
  for (int i = 1; i <= 10000; ++i) curve.points.emplace_back(i, i % 7);
  std::string svg = line_chart({curve}, {});
  EXPECT_LE(count_of(svg, "<circle"), 301u);
  EXPECT_GE(count_of(svg, "<circle"), 290u);
  EXPECT_TRUE(has(svg, "round 1: 1<"));
  EXPECT_TRUE(has(svg, "round 10000: 4<"));
}

TEST(LineChart, AFlatCurveStillHasAnAxis) {
  std::string svg = line_chart({{"flat", {{1, 2.5}, {2, 2.5}}}}, {});
  EXPECT_FALSE(has(svg, "nan")) << svg;
  EXPECT_FALSE(has(svg, "inf")) << svg;
  EXPECT_TRUE(has(svg, ">2.5</text>")) << svg;
}

TEST(LineChart, ASinglePointAmongCurvesIsALevel) {
  std::string svg =
      line_chart({{"ifca", {{1, 0}, {5, 100}}}, {"odcl", {{1, 50}}}}, {"round", "%", 0.0, 100.0, false});
  EXPECT_TRUE(has(svg, R"(<g class="curve c1 level"><polyline points="60.0,124.0 504.0,124.0"/>)")) << svg;
  EXPECT_EQ(count_of(svg, "<circle"), 3u);
  EXPECT_TRUE(has(svg, R"(<i class="line c1"></i>odcl (one round)</span>)")) << svg;
}

TEST(LineChart, NothingToDrawIsNothing) {
  EXPECT_EQ(line_chart({{"none", {}}}, {}), "");
  EXPECT_EQ(line_chart({{"a", {{1, 2}}}, {"b", {{1, 3}}}}, {}), "") << "one round is no curve";
}

TEST(ColourClass, RepeatsHollowAfterEight) {
  EXPECT_EQ(colour_class(7), "c7");
  EXPECT_EQ(colour_class(9), "c1 again");
}

TEST(LineChart, DrawsBandsAndTellsTheirRange) {
  const std::string svg =
      line_chart({{"ifca", {{1, 50}, {2, 60}}, {{40, 60}, {60, 80}}}}, {"round", "accuracy %", 0.0, 100.0});
  EXPECT_TRUE(is_balanced(svg));
  EXPECT_TRUE(has(svg, R"(<polygon class="band" points="60.0,101.6 504.0,56.8 504.0,101.6 60.0,146.4"/>)"))
      << svg;
  EXPECT_TRUE(has(svg, "<title>ifca, round 1: 50 (40 to 60)</title>"));
}

TEST(LineChart, CutsOffWhatDivergedAndSaysSo) {
  const std::vector<Curve> curves = {{"good", {{1, 1}, {2, 0.5}, {3, 0.4}}},
                                     {"bad", {{1, 2}, {2, 1e9}, {3, 1e30}}}};
  ChartFrame frame{"round", "loss", std::nullopt, std::nullopt, true, true};
  const std::string svg = line_chart(curves, frame);
  EXPECT_TRUE(has(svg, "bad leaves the chart in round 2 and reaches 1e+30.")) << svg;
  EXPECT_FALSE(has(svg, ">1e30</text>")) << "the axis ends far below";
  EXPECT_EQ(count_of(svg, "class=\"clipped\""), 2u);
  frame.clips = false;
  EXPECT_FALSE(has(line_chart(curves, frame), "leaves the chart"));
}

TEST(LineChart, SaysWhichCurvesEndEarly) {
  ChartFrame frame{"round", "loss", std::nullopt, std::nullopt, true, true, 9.0};
  const std::string svg = line_chart({{"own", {{1, 1}, {4, 2}}}}, frame);
  EXPECT_TRUE(has(svg, "own has no finite value after round 4.")) << svg;
  EXPECT_TRUE(has(svg, R"(text-anchor="middle">8</text>)")) << "the axis shows the rounds that are missing";
}

TEST(ChartFile, StandsAlone) {
  const std::string svg = chart_file({{"a<b", {{1, 1}, {2, 3}}}, {"c", {{1, 2}, {2, 2}}}}, {"round", "loss"});
  EXPECT_TRUE(is_balanced(svg));
  EXPECT_TRUE(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_TRUE(has(svg, ".c0{--c:#2a78d6}"));
  EXPECT_TRUE(has(svg, ">a&lt;b</text>"));  // its legend
  EXPECT_FALSE(has(svg, "<div"));
  EXPECT_EQ(chart_file({}, {}), "");
}

}  // namespace
}  // namespace coterie::chart_test
