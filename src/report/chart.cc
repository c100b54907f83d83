#include "report/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/html_page.h"
#include "report/number_text.h"

namespace coterie {
namespace {

constexpr double kWidth = 520;
constexpr double kHeight = 280;
constexpr double kLeft = 60;
constexpr double kRight = 16;
constexpr double kTop = 12;
constexpr double kBottom = 44;
constexpr std::size_t kMostPoints = 300;  // of a curve: more cannot be told apart
constexpr std::size_t kMostDots = 30;     // a curve of more points shows them only under the pointer

// One axis: values to pixels.
struct Axis {
  double low = 0;
  double high = 1;
  double from = 0;  // pixels
  double to = 1;
  bool log = false;
  std::vector<double> marks;

  double place(double value) const {
    auto scaled = [&](double v) { return log ? std::log10(v) : v; };
    double share = (scaled(value) - scaled(low)) / (scaled(high) - scaled(low));
    return from + std::clamp(share, 0.0, 1.0) * (to - from);
  }
};

struct Extent {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void add(double v) {
    low = std::min(low, v);
    high = std::max(high, v);
  }
};

Axis round_axis(const Extent& x) {
  Axis axis{x.low, std::max(x.high, x.low + 1), kLeft, kWidth - kRight, false, {}};
  for (double mark : ticks(axis.low, axis.high, 7, 1)) {
    if (mark >= axis.low && mark <= axis.high) axis.marks.push_back(mark);
  }
  return axis;
}

Axis log_axis(const Extent& y) {
  double first = std::floor(std::log10(y.low));
  double last = std::ceil(std::log10(y.high));
  double step = std::ceil((last - first) / 7);
  Axis axis{std::pow(10, first), std::pow(10, last), kHeight - kBottom, kTop, true, {}};
  for (double decade = first; decade <= last; decade += step) axis.marks.push_back(std::pow(10, decade));
  return axis;
}

Axis value_axis(const Extent& y, const ChartFrame& frame) {
  if (frame.may_be_log && y.low > 0 && y.high > 100 * y.low) return log_axis(y);
  double low = frame.low ? std::min(*frame.low, y.low) : y.low;
  double high = frame.high.value_or(y.high);
  if (!(high > low)) {
    double room = std::max(std::abs(low) * 0.1, 1e-12);
    low -= room;
    high += room;
  }
  Axis axis{low, high, kHeight - kBottom, kTop, false, ticks(low, high, 5)};
  axis.low = axis.marks.front();
  axis.high = axis.marks.back();
  if (frame.high && axis.high > *frame.high) {
    axis.high = *frame.high;
    while (axis.marks.size() > 1 && axis.marks.back() > axis.high) axis.marks.pop_back();
  }
  return axis;
}

// Far powers of ten in short: "1e-5".
std::string mark_text(double mark, const Axis& axis) {
  if (axis.log && (mark < 0.9e-3 || mark > 1.1e4)) return fmt::format("1e{:.0f}", std::log10(mark));
  return number_text(!axis.log && std::abs(mark) < 1e-12 ? 0 : mark);
}

std::string axes_svg(const Axis& x, const Axis& y, const ChartFrame& frame) {
  std::string svg;
  for (double mark : y.marks) {
    double at = y.place(mark);
    svg += fmt::format(R"(<line class="grid" x1="{:.1f}" x2="{:.1f}" y1="{:.1f}" y2="{:.1f}"/>)", x.from,
                       x.to, at, at);
    svg += fmt::format(R"(<text class="tick" x="{:.1f}" y="{:.1f}" text-anchor="end">{}</text>)", x.from - 8,
                       at + 4, mark_text(mark, y));
  }
  svg += fmt::format(R"(<line class="axis" x1="{:.1f}" x2="{:.1f}" y1="{:.1f}" y2="{:.1f}"/>)", x.from, x.to,
                     y.from, y.from);
  for (double mark : x.marks) {
    svg += fmt::format(R"(<line class="axis" x1="{0:.1f}" x2="{0:.1f}" y1="{1:.1f}" y2="{2:.1f}"/>)",
                       x.place(mark), y.from, y.from + 4);
    svg += fmt::format(R"(<text class="tick" x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)",
                       x.place(mark), y.from + 18, number_text(mark));
  }
  svg += fmt::format(R"(<text class="label" x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)",
                     (x.from + x.to) / 2, kHeight - 6, escape_html(frame.x_label));
  svg += fmt::format(R"svg(<text class="label" transform="translate(11 {:.1f}) rotate(-90)")svg"
                     R"( text-anchor="middle">{}</text>)",
                     (y.from + y.to) / 2, escape_html(frame.y_label));
  return svg;
}

// Every n-th point, and the last.
std::vector<std::pair<double, double>> thinned(const std::vector<std::pair<double, double>>& points) {
  std::size_t step = (points.size() + kMostPoints - 1) / kMostPoints;
  if (step <= 1) return points;
  std::vector<std::pair<double, double>> kept;
  for (std::size_t i = 0; i < points.size(); i += step) kept.push_back(points[i]);
  if ((points.size() - 1) % step != 0) kept.push_back(points.back());
  return kept;
}

std::string curve_svg(const Curve& curve, std::size_t number, const Axis& x, const Axis& y,
                      const ChartFrame& frame) {
  auto points = thinned(curve.points);
  const bool level = points.size() == 1;
  std::string line;
  std::string dots;
  for (auto [px, py] : points) {
    line += fmt::format("{}{:.1f},{:.1f}", line.empty() ? "" : " ", x.place(px), y.place(py));
    dots += fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="3"><title>{}, {} {}: {}</title></circle>)",
                        x.place(px), y.place(py), escape_html(curve.name), escape_html(frame.x_label),
                        number_text(px), number_text(py));
  }
  if (level) line += fmt::format(" {:.1f},{:.1f}", x.to, y.place(points.front().second));
  return fmt::format(R"(<g class="curve {}{}{}"><polyline points="{}"/>{}</g>)", colour_class(number),
                     points.size() > kMostDots ? " many" : "", level ? " level" : "", line, dots);
}

std::string legend(const std::vector<Curve>& curves, const ChartFrame& frame) {
  std::string html = R"(<div class="legend">)";
  for (std::size_t i = 0; i < curves.size(); ++i) {
    if (curves[i].points.empty()) continue;
    std::string name = curves[i].name;
    if (curves[i].points.size() == 1) name += " (one " + frame.x_label + ")";
    // The later curve covers the earlier one.
    for (std::size_t j = 0; j < i; ++j) {
      if (curves[j].points != curves[i].points) continue;
      name += " (covers " + curves[j].name + ")";
      break;
    }
    html += fmt::format(R"(<span><i class="line {}"></i>{}</span>)", colour_class(i), escape_html(name));
  }
  return html + "</div>\n";
}

}  // namespace

std::vector<double> ticks(double low, double high, std::size_t count, double least_step) {
  double rough = std::max((high - low) / static_cast<double>(count), std::numeric_limits<double>::min());
  double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (double factor : {5.0, 2.5, 2.0, 1.0}) {
    if (factor * power >= rough * (1 - 1e-9)) step = factor * power;
  }
  step = std::max(step, least_step);
  double first = std::floor(low / step + 1e-9);
  double last = std::ceil(high / step - 1e-9);
  std::vector<double> marks;
  for (double i = first; i <= last; ++i) marks.push_back(i * step);
  return marks;
}

std::string colour_class(std::size_t n) { return fmt::format("c{}{}", n % 8, n >= 8 ? " again" : ""); }

std::string line_chart(const std::vector<Curve>& curves, const ChartFrame& frame) {
  Extent xs;
  Extent ys;
  std::size_t drawn = 0;
  for (const Curve& curve : curves) {
    if (!curve.points.empty()) ++drawn;
    for (auto [x, y] : curve.points) {
      xs.add(x);
      ys.add(y);
    }
  }
  if (drawn == 0 || xs.low == xs.high) return "";
  Axis x = round_axis(xs);
  Axis y = value_axis(ys, frame);
  std::string html = drawn > 1 ? legend(curves, frame) : "";
  html += fmt::format(R"(<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{} by {}">)", kWidth,
                      kHeight, escape_html(frame.y_label), escape_html(frame.x_label));
  html += axes_svg(x, y, frame);
  for (std::size_t i = 0; i < curves.size(); ++i) {
    if (!curves[i].points.empty()) html += curve_svg(curves[i], i, x, y, frame);
  }
  return html + "</svg>\n";
}

}  // namespace coterie
