// Axes of charts: values to pixels, round marks, and how both are drawn.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace coterie {

// A chart's own units; the page scales it to the room there is.
struct ChartSize {
  double width = 520;
  double height = 280;
  double left = 60;
  double right = 16;
  double top = 12;
  double bottom = 44;
};

struct Axis {
  double low = 0;
  double high = 1;
  double from = 0;  // pixels
  double to = 1;
  bool log = false;
  std::vector<double> marks = {};

  // Values beyond the ends are put at the ends.
  double place(double value) const;
};

struct Extent {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void add(double v) {
    low = std::min(low, v);
    high = std::max(high, v);
  }
};

// Round numbers from at or below `low` to at or above `high`, about `count` of them.
std::vector<double> ticks(double low, double high, std::size_t count, double least_step = 0);

// Whole decades around positive values.
Axis decades_axis(const Extent& values, double from, double to);
// Round numbers around the values, not beyond `low` and `high` where those are given.
Axis plain_axis(Extent values, double from, double to, std::optional<double> low = {},
                std::optional<double> high = {}, std::size_t count = 5);

// How far from the left edge an upright axis must stand for its label and its longest mark.
double room_for_marks(const Axis& y);

// Grid, marks and labels.
std::string axes_svg(const Axis& x, const Axis& y, const std::string& x_label, const std::string& y_label,
                     const ChartSize& size);

}  // namespace coterie
