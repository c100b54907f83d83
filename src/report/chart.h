// Line charts as inline SVG, coloured by the page's style sheet (html_page.h), with a title on each point.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace coterie {

struct Curve {
  std::string name;
  std::vector<std::pair<double, double>> points;  // finite, x ascending
};

struct ChartFrame {
  std::string x_label = "round";
  std::string y_label;
  std::optional<double> low;   // the axis starts no higher than this; default: near the data
  std::optional<double> high;  // the axis ends exactly here
  bool may_be_log = false;     // logarithmic when the data are positive and span more than two decades
};

// A legend, where more than one curve has points, and the chart. Empty when none has, or all have a single
// point at the same place, which shows nothing. A single point among curves is drawn as a level. A curve's
// colour goes by its place in the list, so that charts of the same list agree. The legend says which curve
// hides an equal one.
std::string line_chart(const std::vector<Curve>& curves, const ChartFrame& frame);

// Round numbers from at or below `low` to at or above `high`, about `count` of them.
std::vector<double> ticks(double low, double high, std::size_t count, double least_step = 0);

// Style classes of the n-th series or cluster: eight colours, then the same once more, drawn hollow or
// dashed.
std::string colour_class(std::size_t n);

}  // namespace coterie
