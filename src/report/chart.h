// Line charts as inline SVG, coloured by the page's style sheet (html_page.h), with a title on each point.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/chart_axis.h"

namespace coterie {

struct Curve {
  std::string name;
  std::vector<std::pair<double, double>> points;     // finite, x ascending
  std::vector<std::pair<double, double>> band = {};  // lowest and highest at each point; empty: none
  bool guide = false;                                // a grey line to compare with, not in the legend
};

struct ChartFrame {
  std::string x_label = "round";
  std::string y_label;
  std::optional<double> low = {};   // the axis starts no higher than this; default: near the data
  std::optional<double> high = {};  // the axis ends exactly here
  bool may_be_log = false;          // logarithmic when the data are positive and span more than two decades
  // Values beyond 100 times the highest first value are cut off, and a note says so: one curve that diverged
  // does not flatten the others.
  bool clips = false;
  std::optional<double> until = {};  // the last x; a note names the curves that end before
  double x_step = 1;                 // the least distance of marks
};

// A legend, where more than one curve has points, the chart, and notes on what it does not show. Empty when
// no curve has points, or all have a single point at the same place, which shows nothing. A single point
// among curves is drawn as a level. A curve's colour goes by its place in the list, so that charts of the
// same list agree. The legend says which curve hides an equal one.
std::string line_chart(const std::vector<Curve>& curves, const ChartFrame& frame);

// The same chart as a file of its own, in light colours, with its legend and notes inside. Empty as above.
std::string chart_file(const std::vector<Curve>& curves, const ChartFrame& frame);

// Style classes of the n-th series or cluster: eight colours, then the same once more, drawn hollow or
// dashed.
std::string colour_class(std::size_t n);

}  // namespace coterie
